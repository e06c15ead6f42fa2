/** The settings under `kernelAdvisor`, and what the server is told of them. */

export interface Settings {
  readonly inlayHints: boolean;
  readonly codeLenses: boolean;
  readonly numberHovers: boolean;
  readonly syntaxErrors: boolean;
  readonly compiledEvidence: boolean;
  readonly synthesisedEvidence: boolean;
  readonly simulate: boolean;
  readonly device: string;
  readonly interpreter: string;
  readonly serverArguments: readonly string[];
}

/** Answers like `WorkspaceConfiguration.get`. */
export type Lookup = (name: string) => unknown;

/** The settings that the user has made; a value of the wrong type counts as not made. */
export function readSettings(get: Lookup): Settings {
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = get(name);
    return typeof value === "boolean" ? value : otherwise;
  };
  const text = (name: string): string => {
    const value = get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const given = get("serverArguments");
  return {
    inlayHints: flag("inlayHints", true),
    codeLenses: flag("codeLenses", true),
    numberHovers: flag("numberHovers", true),
    syntaxErrors: flag("syntaxErrors", true),
    compiledEvidence: flag("compiledEvidence", true),
    synthesisedEvidence: flag("synthesisedEvidence", true),
    simulate: flag("simulate", false),
    device: text("device"),
    interpreter: text("interpreter"),
    serverArguments: Array.isArray(given) ? given.filter((item) => typeof item === "string") : [],
  };
}

/** What the server reads: its preferences, with the trust that only the editor knows of. */
export interface Preferences {
  readonly inlayHints: boolean;
  readonly codeLenses: boolean;
  readonly numberHovers: boolean;
  readonly syntaxErrors: boolean;
  readonly compiledEvidence: boolean;
  readonly synthesisedEvidence: boolean;
  readonly simulate: boolean;
  readonly device: string;
  readonly trusted: boolean;
}

/** The server's preferences; without trust nothing may be simulated, whatever the settings say. */
export function preferences(settings: Settings, trusted: boolean): Preferences {
  return {
    inlayHints: settings.inlayHints,
    codeLenses: settings.codeLenses,
    numberHovers: settings.numberHovers,
    syntaxErrors: settings.syntaxErrors,
    compiledEvidence: settings.compiledEvidence,
    synthesisedEvidence: settings.synthesisedEvidence,
    simulate: settings.simulate && trusted,
    device: settings.device,
    trusted,
  };
}

/** Whether a server that runs with `before` has to be restarted to run with `after`. */
export function needsRestart(before: Settings, after: Settings): boolean {
  return (
    before.interpreter !== after.interpreter ||
    JSON.stringify(before.serverArguments) !== JSON.stringify(after.serverArguments)
  );
}
