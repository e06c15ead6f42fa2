/** Which Python interpreters are tried, and in which order. */

import * as path from "node:path";

export interface Circumstances {
  /** The setting, empty when not made. */
  readonly setting: string;
  /** The interpreter that the Python extension has chosen, if there is one. */
  readonly chosen: string | undefined;
  readonly folders: readonly string[];
  readonly trusted: boolean;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly exists: (file: string) => boolean;
}

export interface Candidate {
  readonly command: string;
  readonly origin: string;
}

/**
 * The interpreters to try, the first first. A setting stands alone: when it is wrong, that is to be said.
 *
 * To start an interpreter inside a folder is to run the folder's code, so without trust none of those is tried.
 */
export function candidates(around: Circumstances): Candidate[] {
  if (around.setting !== "") {
    return [{ command: resolved(around), origin: "the setting kernelAdvisor.interpreter" }];
  }
  const found: Candidate[] = [];
  if (around.chosen !== undefined) {
    found.push({ command: around.chosen, origin: "the Python extension" });
  }
  for (const folder of around.folders) {
    for (const name of [".venv", "venv"]) {
      const command = inEnvironment(around.platform, folder, name);
      if (around.exists(command)) {
        found.push({ command, origin: `the folder ${name} of the workspace` });
      }
    }
  }
  for (const command of around.platform === "win32" ? ["python", "py"] : ["python3", "python"]) {
    found.push({ command, origin: "the PATH" });
  }
  return found
    .filter(({ command }) => around.trusted || !inside(around, command))
    .filter(({ command }, place, all) => all.findIndex((other) => other.command === command) === place);
}

function resolved(around: Circumstances): string {
  const folder = around.folders[0] ?? around.home;
  const home = around.setting.replace(/^~(?=$|[\\/])/, () => around.home);
  return home.replace(/\$\{workspaceFolder\}/g, () => folder);
}

function inEnvironment(platform: NodeJS.Platform, folder: string, name: string): string {
  return platform === "win32"
    ? path.win32.join(folder, name, "Scripts", "python.exe")
    : path.posix.join(folder, name, "bin", "python");
}

function inside(around: Circumstances, command: string): boolean {
  const paths = around.platform === "win32" ? path.win32 : path.posix;
  return around.folders.some((folder) => {
    const way = paths.relative(folder, command);
    return paths.isAbsolute(command) && !way.startsWith("..") && !paths.isAbsolute(way);
  });
}
