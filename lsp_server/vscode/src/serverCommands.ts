/** Commands that the server carries out for a place in a document. */

import * as vscode from "vscode";
import type { Server } from "./server";

export type PlaceCommand = "simulate" | "explain" | "machineCode";

/** The command behind a lens that names the device; the extension's own list of devices answers it. */
export const CHOOSE_DEVICE = "advisor.chooseDevice";

/** The server's name of each; the client registers them when the server offers them. */
const NAMES: Readonly<Record<PlaceCommand, string>> = {
  simulate: "advisor.simulate",
  explain: "advisor.explain",
  machineCode: "advisor.machineCode",
};

/** Calls a command of the server with the document and line of the cursor. */
export async function callOnPlace(command: PlaceCommand, server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || server.client === undefined || server.state.phase !== "ready") {
    void vscode.window.showInformationMessage("Kernel Advisor needs an open kernel and a running server for this.");
    return;
  }
  await vscode.commands.executeCommand(NAMES[command], editor.document.uri.toString(), editor.selection.active.line);
}
