/** Pages that the extension or the server writes, opened as read-only documents. */

import * as vscode from "vscode";

const SCHEME = "kernel-advisor";

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  /** Opens a text under a name whose ending tells its language. */
  async open(name: string, text: string): Promise<void> {
    const uri = this.keep(name, text);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  /** Opens Markdown as it is to be read. */
  async preview(name: string, text: string): Promise<void> {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", this.keep(name, text));
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }

  private keep(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }
}
