/** The interpreter that the Python extension has chosen, where that extension is installed. */

import * as vscode from "vscode";

const EXTENSION = "ms-python.python";

/** The part of its API that is used; everything in it may be missing in another version. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath?(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment?(environment: {
      readonly path: string;
    }): Promise<{ readonly executable?: { readonly uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

/** The path of the chosen interpreter, undefined without the extension or a choice. */
export async function chosenInterpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await pythonApi())?.environments;
  const active = environments?.getActiveEnvironmentPath?.(folder);
  if (active === undefined) {
    return undefined;
  }
  const environment = await environments?.resolveEnvironment?.(active);
  return environment?.executable?.uri?.fsPath;
}

/** Calls `changed` whenever the user chooses another interpreter there. */
export async function onOtherInterpreter(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonApi())?.environments?.onDidChangeActiveEnvironmentPath?.(changed);
}

async function pythonApi(): Promise<PythonApi | undefined> {
  try {
    return await vscode.extensions.getExtension<PythonApi>(EXTENSION)?.activate();
  } catch {
    return undefined;
  }
}
