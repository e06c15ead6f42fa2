/** Commands that the server carries out for a place in a document, and how their answers are shown. */

import * as vscode from "vscode";
import type { Pages } from "./documents";
import type { Server } from "./server";

export type PlaceCommand = "simulate" | "explain" | "machineCode";

/** The server's name of each. */
const NAMES: Readonly<Record<PlaceCommand, string>> = {
  simulate: "advisor.simulate",
  explain: "advisor.explain",
  machineCode: "advisor.machineCode",
};

/** Calls a command of the server with the document and line of the cursor. */
export async function callOnPlace(command: PlaceCommand, server: Server, pages: Pages): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || server.client === undefined || server.state.phase !== "ready") {
    void vscode.window.showInformationMessage("Kernel Advisor needs an open kernel and a running server for this.");
    return;
  }
  void pages;
  await vscode.commands.executeCommand(NAMES[command], editor.document.uri.toString(), editor.selection.active.line);
}
