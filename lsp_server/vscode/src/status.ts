/** The status item, beside documents that Kernel Advisor reads. */

import * as vscode from "vscode";
import { shown, type State } from "./state";

const LANGUAGES = ["python", "advisor-rules"];

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "kernelAdvisor.status",
    vscode.StatusBarAlignment.Right,
    90,
  );
  private readonly listening = vscode.window.onDidChangeActiveTextEditor(() => this.follow());

  constructor() {
    this.item.name = "Kernel Advisor";
    this.item.command = "kernelAdvisor.menu";
    this.follow();
  }

  show(state: State): void {
    const { text, tooltip, kind } = shown(state);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor =
      kind === "error" ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    void vscode.commands.executeCommand("setContext", "kernelAdvisor.ready", state.phase === "ready");
  }

  dispose(): void {
    this.listening.dispose();
    this.item.dispose();
  }

  private follow(): void {
    const language = vscode.window.activeTextEditor?.document.languageId;
    if (language !== undefined && LANGUAGES.includes(language)) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }
}
