/** The document that "Show Diagnostic Information" opens, and the message for a missing advisor. */

import { isInterpreter, type Interpreter, type Refusal } from "./probe";
import type { Preferences, Settings } from "./settings";

export interface Facts {
  readonly extension: string;
  readonly editor: string;
  readonly platform: string;
  readonly server: string;
  readonly phase: string;
  readonly reason: string;
  readonly encoding: string;
  readonly folders: readonly string[];
  readonly chosen: Interpreter | readonly Refusal[] | undefined;
  readonly settings: Settings;
  readonly preferences: Preferences;
  readonly commands: readonly string[];
}

/** Markdown with all that a report of a fault needs. */
export function information(facts: Facts): string {
  const settings = Object.entries({ ...facts.settings, trusted: facts.preferences.trusted });
  return [
    "# Kernel Advisor: diagnostic information",
    "",
    `- Extension: ${facts.extension}`,
    `- Editor: ${facts.editor}`,
    `- Platform: ${facts.platform}`,
    `- Server: ${facts.phase}${facts.reason === "" ? "" : ` (${facts.reason})`}, ${facts.server || "no version"}`,
    `- Position encoding: ${facts.encoding || "none agreed"}`,
    `- Folders: ${facts.folders.join(", ") || "none"}`,
    "",
    "## Interpreter",
    "",
    ...interpreterLines(facts.chosen),
    "",
    "## Settings",
    "",
    ...settings.map(([name, value]) => `- ${name}: \`${JSON.stringify(value)}\``),
    "",
    "## Commands of the server",
    "",
    ...(facts.commands.length > 0 ? facts.commands.map((command) => `- ${command}`) : ["none"]),
    "",
  ].join("\n");
}

function interpreterLines(chosen: Facts["chosen"]): string[] {
  if (chosen === undefined) {
    return ["not looked for yet"];
  }
  if ("executable" in chosen && isInterpreter(chosen)) {
    return [
      `- Executable: \`${chosen.executable}\` (from ${chosen.origin})`,
      `- Python: ${chosen.python}`,
      `- kernel-advisor: ${chosen.advisor}, in \`${chosen.place}\``,
    ];
  }
  const refusals = chosen as readonly Refusal[];
  return ["None has Kernel Advisor:", "", ...refusals.map((refusal) => `- ${refused(refusal)}`)];
}

function refused({ candidate, reason }: Refusal): string {
  return `\`${candidate.command}\` (from ${candidate.origin}): ${reason}`;
}

/** How to install it, as a Markdown page that begins with what was tried. */
export function howToInstall(refusals: readonly Refusal[], trusted: boolean): string {
  const trust = trusted
    ? []
    : ["The workspace is not trusted, so interpreters inside it were not started.", ""];
  return [
    "# Kernel Advisor is not installed for any interpreter that was found",
    "",
    ...trust,
    "Tried were:",
    "",
    ...refusals.map((refusal) => `- ${refused(refusal)}`),
    "",
    "Install it from a clone of its repository into the environment of your project, in a terminal in the",
    "project's folder:",
    "",
    "```console",
    "python3 -m venv .venv",
    ".venv/bin/pip install FOLDER-OF-THE-CLONE",
    "```",
    "",
    "On Windows the second line is `.venv\\Scripts\\pip install FOLDER-OF-THE-CLONE`.",
    "",
    "Then run the command *Kernel Advisor: Restart the Server*. To use an interpreter that lies elsewhere, give its",
    "path in the setting `kernelAdvisor.interpreter`.",
    "",
  ].join("\n");
}
