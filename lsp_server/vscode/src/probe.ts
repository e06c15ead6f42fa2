/** What an interpreter is and whether Kernel Advisor is installed for it. */

import { execFile } from "node:child_process";
import type { Candidate } from "./interpreters";

const PATIENCE_MS = 20_000;

/** Asks for the advisor without importing it; prints one line of JSON. */
export const QUESTION = [
  "import importlib.metadata, importlib.util, json, platform, sys",
  "spec = importlib.util.find_spec('advisor')",
  "try: version = importlib.metadata.version('kernel-advisor')",
  "except importlib.metadata.PackageNotFoundError: version = None",
  "print(json.dumps({'executable': sys.executable, 'python': platform.python_version(),",
  " 'advisor': version if spec else None, 'place': spec.origin if spec else None}))",
].join("\n");

export interface Interpreter {
  readonly command: string;
  readonly origin: string;
  readonly executable: string;
  readonly python: string;
  readonly advisor: string;
  readonly place: string;
}

export interface Refusal {
  readonly candidate: Candidate;
  readonly reason: string;
}

export type Answer = Interpreter | Refusal;

export function isInterpreter(answer: Answer): answer is Interpreter {
  return "executable" in answer;
}

/** What the output of `QUESTION` says of a candidate. */
export function readAnswer(candidate: Candidate, output: string): Answer {
  let found: unknown;
  try {
    found = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  } catch {
    return { candidate, reason: "it does not answer like a Python interpreter" };
  }
  const told = (found ?? {}) as Record<string, unknown>;
  const text = (name: string): string => (typeof told[name] === "string" ? told[name] : "");
  if (text("executable") === "") {
    return { candidate, reason: "it does not answer like a Python interpreter" };
  }
  if (text("advisor") === "") {
    return { candidate, reason: `Python ${text("python")} has no package kernel-advisor` };
  }
  return {
    ...candidate,
    executable: text("executable"),
    python: text("python"),
    advisor: text("advisor"),
    place: text("place"),
  };
}

/** Starts a candidate in `cwd`, from which it may import; so this is never a folder of the workspace. */
export function probe(candidate: Candidate, cwd: string): Promise<Answer> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: PATIENCE_MS, windowsHide: true };
    execFile(candidate.command, ["-c", QUESTION], options, (error, output) => {
      if (error === null) {
        resolve(readAnswer(candidate, output));
      } else if (error.code === "ENOENT" || error.code === "EACCES") {
        resolve({ candidate, reason: "there is no such program" });
      } else {
        resolve({ candidate, reason: `it fails: ${error.message.split("\n").at(-1)}` });
      }
    });
  });
}

/** The first candidate that has Kernel Advisor, else why each of them was refused. */
export async function choose(
  tried: readonly Candidate[],
  ask: (candidate: Candidate) => Promise<Answer>,
): Promise<Interpreter | readonly Refusal[]> {
  const refusals: Refusal[] = [];
  for (const candidate of tried) {
    const answer = await ask(candidate);
    if (isInterpreter(answer)) {
      return answer;
    }
    refusals.push(answer);
  }
  return refusals;
}
