/** What the user can call: every command of the extension. */

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import type { Pages } from "./documents";
import { readDevices } from "./devices";
import { information } from "./report";
import { currentSettings, SECTION, type Server } from "./server";
import { preferences } from "./settings";
import { callOnPlace, type PlaceCommand } from "./serverCommands";

/** Registers the commands; each ends with its subscription. */
export function registerCommands(
  context: vscode.ExtensionContext,
  server: Server,
  pages: Pages,
  log: vscode.LogOutputChannel,
): void {
  const add = (name: string, run: () => unknown): void => {
    context.subscriptions.push(vscode.commands.registerCommand(`${SECTION}.${name}`, run));
  };
  const onPlace = (command: PlaceCommand) => (): Promise<void> => callOnPlace(command, server);
  add("restart", () => server.restart());
  add("showLog", () => log.show());
  add("showInformation", () => pages.open("information.md", informationOf(context, server)));
  add("chooseDevice", () => chooseDevice(server));
  add("simulate", onPlace("simulate"));
  add("explain", onPlace("explain"));
  add("machineCode", onPlace("machineCode"));
  add("menu", () => menu(context));
}

function informationOf(context: vscode.ExtensionContext, server: Server): string {
  const initialized = server.client?.initializeResult;
  const info = initialized?.serverInfo;
  const settings = currentSettings();
  return information({
    extension: String(context.extension.packageJSON.version),
    editor: `${vscode.env.appName} ${vscode.version}`,
    platform: `${process.platform} ${process.arch}`,
    server: info === undefined ? "" : `${info.name} ${info.version ?? ""}`,
    phase: server.state.phase,
    reason: server.reason,
    encoding: initialized?.capabilities.positionEncoding ?? "",
    folders: vscode.workspace.workspaceFolders?.map(({ uri }) => uri.fsPath) ?? [],
    chosen: server.chosen,
    settings,
    preferences: preferences(settings, vscode.workspace.isTrusted),
    commands: initialized?.capabilities.executeCommandProvider?.commands ?? [],
  });
}

/** Lets the user pick one of the server's devices; the choice is written to the workspace's settings. */
async function chooseDevice(server: Server): Promise<void> {
  const { chosen } = server;
  if (chosen === undefined || !("executable" in chosen)) {
    void vscode.window.showErrorMessage("Kernel Advisor does not run, so its devices are not known.");
    return;
  }
  const devices = readDevices(await output(chosen.executable, ["-m", "advisor", "devices", "--format", "json"], server));
  const current = currentSettings().device;
  const own = { label: "Device of the project's configuration", description: current === "" ? "in use" : "", id: "" };
  const listed = devices.map(({ id, name, detail }) => ({
    label: name,
    description: id === current ? `${id} · in use` : id,
    detail,
    id,
  }));
  const picked = await vscode.window.showQuickPick([own, ...listed], {
    title: "Kernel Advisor: the GPU to judge for",
    matchOnDescription: true,
  });
  if (picked !== undefined) {
    const target =
      vscode.workspace.workspaceFolders === undefined
        ? vscode.ConfigurationTarget.Global
        : vscode.ConfigurationTarget.Workspace;
    const configuration = vscode.workspace.getConfiguration(SECTION);
    await configuration.update("device", picked.id === "" ? undefined : picked.id, target);
  }
}

function output(command: string, argv: readonly string[], server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: server.home, timeout: 30_000, maxBuffer: 16 * 1024 * 1024, windowsHide: true };
    execFile(command, [...argv], options, (error, text) => (error === null ? resolve(text) : reject(error)));
  });
}

async function menu(context: vscode.ExtensionContext): Promise<void> {
  const commands = context.extension.packageJSON.contributes.commands as { command: string; title: string }[];
  const picked = await vscode.window.showQuickPick(
    commands
      .filter(({ command }) => command !== `${SECTION}.menu`)
      .map(({ command, title }) => ({ label: title, command })),
    { title: "Kernel Advisor" },
  );
  if (picked !== undefined) {
    await vscode.commands.executeCommand(picked.command);
  }
}
