/** The language server: found, started, restarted, and what is known of it. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { LanguageClient, State as ClientState, type Middleware } from "vscode-languageclient/node";
import { candidates } from "./interpreters";
import { choose, isInterpreter, probe, type Interpreter, type Refusal } from "./probe";
import { chosenInterpreter } from "./pythonExtension";
import { CHOOSE_DEVICE } from "./serverCommands";
import { preferences, readSettings, type Settings } from "./settings";
import type { Phase, State } from "./state";

export const SECTION = "kernelAdvisor";

const DOCUMENTS = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { scheme: "vscode-notebook-cell", language: "python" },
  { scheme: "file", language: "advisor-rules" },
  { scheme: "untitled", language: "advisor-rules" },
];

export class Server implements vscode.Disposable {
  client: LanguageClient | undefined;
  chosen: Interpreter | readonly Refusal[] | undefined;
  reason = "";
  /** The settings that the running server was started with. */
  startedWith: Settings = currentSettings();
  private phase: Phase = "stopped";
  private readonly work = new Map<string | number, string>();
  private readonly stateChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeState = this.stateChanged.event;
  private turn: Promise<void> = Promise.resolve();

  /** `home` is a folder without Python files; the server starts there so that nothing is imported by accident. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    readonly home: string,
    private readonly missing: (refusals: readonly Refusal[]) => void,
  ) {}

  get state(): State {
    return {
      phase: this.phase,
      work: [...this.work.values()],
      device: currentSettings().device,
      reason: this.reason,
      trusted: vscode.workspace.isTrusted,
    };
  }

  /** Starts the server, or restarts it; one call waits for the one before. */
  restart(): Promise<void> {
    this.turn = this.turn.then(() => this.begin());
    return this.turn;
  }

  async stop(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.work.clear();
    if (client !== undefined) {
      // A server that failed while it started cannot be asked to end.
      await client.dispose().catch((error: unknown) => this.log.warn(`ending the server: ${String(error)}`));
    }
  }

  dispose(): void {
    this.stateChanged.dispose();
  }

  private async begin(): Promise<void> {
    await this.stop();
    this.enter("starting");
    this.startedWith = currentSettings();
    this.chosen = await this.find();
    if (!("executable" in this.chosen)) {
      const refusals = this.chosen as readonly Refusal[];
      this.enter("failed", "no interpreter that was found has the package kernel-advisor");
      this.missing(refusals);
      return;
    }
    const interpreter = this.chosen as Interpreter;
    this.log.info(`starting kernel-advisor ${interpreter.advisor} with ${interpreter.executable}`);
    this.client = this.newClient(interpreter);
    this.client.onDidChangeState(({ newState }) => this.follow(newState));
    try {
      await this.client.start();
    } catch (error) {
      this.enter("failed", `the server did not start: ${String(error)}`);
      this.log.error(this.reason);
    }
  }

  private async find(): Promise<Interpreter | readonly Refusal[]> {
    const folders = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === "file") ?? [];
    const tried = candidates({
      setting: this.startedWith.interpreter,
      chosen: await chosenInterpreter(folders[0]?.uri),
      folders: folders.map(({ uri }) => uri.fsPath),
      trusted: vscode.workspace.isTrusted,
      home: homedir(),
      platform: process.platform,
      exists: existsSync,
    });
    return choose(tried, async (candidate) => {
      const answer = await probe(candidate, this.home);
      this.log.info(
        `${candidate.command}: ${isInterpreter(answer) ? `kernel-advisor ${answer.advisor}` : answer.reason}`,
      );
      return answer;
    });
  }

  private newClient(interpreter: Interpreter): LanguageClient {
    return new LanguageClient(
      SECTION,
      "Kernel Advisor",
      {
        command: interpreter.executable,
        args: ["-m", "advisor", "server", ...this.startedWith.serverArguments],
        options: { cwd: this.home },
      },
      {
        documentSelector: DOCUMENTS,
        outputChannel: this.log,
        initializationOptions: preferences(this.startedWith, vscode.workspace.isTrusted),
        middleware: this.middleware(),
      },
    );
  }

  private middleware(): Middleware {
    return {
      handleWorkDoneProgress: (token, params, next) => {
        if (params.kind === "end") {
          this.work.delete(token);
        } else if (params.kind === "begin") {
          this.work.set(token, params.title);
        }
        this.stateChanged.fire();
        next(token, params);
      },
      // The list of the extension writes the setting, so that the choice outlasts the session.
      executeCommand: (command, given, next) =>
        command === CHOOSE_DEVICE && given.length === 0
          ? vscode.commands.executeCommand(`${SECTION}.chooseDevice`)
          : next(command, given),
      window: {
        // The server's pages are Markdown, to be read and not to be written.
        showDocument: async (params, token, next) => {
          const uri = vscode.Uri.parse(params.uri);
          if (params.external === true || !uri.path.endsWith(".md")) {
            return next(params, token);
          }
          await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
          return { success: true };
        },
      },
      workspace: {
        // Trust is no setting, and a setting may not stand against it.
        configuration: async (params, token, next) => {
          const answer = await next(params, token);
          return Array.isArray(answer)
            ? answer.map((found: unknown, place) =>
                params.items[place]?.section === SECTION ? currentPreferences(params.items[place]?.scopeUri) : found,
              )
            : answer;
        },
      },
    };
  }

  private follow(state: ClientState): void {
    if (state === ClientState.Running) {
      this.enter("ready");
    } else if (state === ClientState.Starting) {
      this.enter("starting");
    } else {
      this.work.clear();
      this.enter(this.client === undefined ? "stopped" : "failed", "the server has ended; see the log");
    }
  }

  private enter(phase: Phase, reason = ""): void {
    this.phase = phase;
    this.reason = phase === "failed" ? reason : "";
    this.stateChanged.fire();
  }
}

/** The settings for a document, or those of the workspace. */
export function currentSettings(resource?: string): Settings {
  const scope = resource === undefined ? null : vscode.Uri.parse(resource);
  const configuration = vscode.workspace.getConfiguration(SECTION, scope);
  return readSettings((name) => configuration.get(name));
}

function currentPreferences(resource?: string): ReturnType<typeof preferences> {
  return preferences(currentSettings(resource), vscode.workspace.isTrusted);
}
