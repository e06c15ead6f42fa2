/** The extension: starts the server when a document needs it, and follows settings and trust. */

import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { Pages } from "./documents";
import { onOtherInterpreter } from "./pythonExtension";
import type { Refusal } from "./probe";
import { howToInstall } from "./report";
import { currentSettings, SECTION, Server } from "./server";
import { needsRestart } from "./settings";
import { StatusItem } from "./status";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("Kernel Advisor", { log: true });
  const pages = new Pages();
  const status = new StatusItem();
  const running = new Server(log, context.asAbsolutePath("dist"), (refusals) => void tellMissing(pages, refusals));
  server = running;
  const show = (): void => status.show(running.state);
  context.subscriptions.push(
    log,
    pages,
    status,
    running,
    running.onDidChangeState(show),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SECTION)) {
        show();
        if (needsRestart(running.startedWith, currentSettings())) {
          void running.restart();
        }
      }
    }),
  );
  registerCommands(context, running, pages, log);
  show();
  await running.restart();
  const following = await onOtherInterpreter(() => {
    if (currentSettings().interpreter === "") {
      void running.restart();
    }
  });
  if (following !== undefined) {
    context.subscriptions.push(following);
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

async function tellMissing(pages: Pages, refusals: readonly Refusal[]): Promise<void> {
  const [install, choose] = ["How to Install", "Choose an Interpreter"];
  const picked = await vscode.window.showWarningMessage(
    "Kernel Advisor is not installed for any Python interpreter that was found.",
    install,
    choose,
  );
  if (picked === install) {
    await pages.preview("how-to-install.md", howToInstall(refusals, vscode.workspace.isTrusted));
  } else if (picked === choose) {
    await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.interpreter`);
  }
}
