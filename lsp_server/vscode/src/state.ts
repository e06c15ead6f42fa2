/** What the status item shows: the server's state in a few words. */

export type Phase = "starting" | "ready" | "failed" | "stopped";

export interface State {
  readonly phase: Phase;
  /** The titles of what the server is working at, the latest last. */
  readonly work: readonly string[];
  /** The setting; empty when the configuration of the project decides. */
  readonly device: string;
  /** Why the server does not run. */
  readonly reason: string;
  readonly trusted: boolean;
}

export interface Shown {
  readonly text: string;
  readonly tooltip: string;
  readonly kind: "plain" | "error";
}

/** The text of the status item, with an icon in VS Code's notation, and its tooltip. */
export function shown(state: State): Shown {
  const name = state.device === "" ? "Advisor" : `Advisor: ${state.device}`;
  switch (state.phase) {
    case "starting":
      return { text: `$(loading~spin) ${name}`, tooltip: "Kernel Advisor is starting.", kind: "plain" };
    case "stopped":
      return { text: `$(circle-slash) ${name}`, tooltip: "Kernel Advisor does not run.", kind: "plain" };
    case "failed":
      return { text: `$(error) ${name}`, tooltip: `Kernel Advisor does not run: ${state.reason}`, kind: "error" };
    case "ready": {
      const current = state.work.at(-1);
      const device =
        state.device === ""
          ? "Judged for the device of the project's configuration."
          : `Judged for ${state.device}.`;
      const trust = state.trusted ? "" : " The workspace is not trusted: nothing of it is run.";
      return current === undefined
        ? { text: `$(check) ${name}`, tooltip: `Kernel Advisor is ready. ${device}${trust}`, kind: "plain" }
        : { text: `$(sync~spin) ${name}`, tooltip: `${current} … ${device}${trust}`, kind: "plain" };
    }
  }
}
