/** What interpreters answer, with real ones where the machine has one. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import test from "node:test";
import { choose, isInterpreter, probe, readAnswer, QUESTION } from "../src/probe";

const candidate = { command: "py", origin: "the PATH" };
const told = { executable: "/usr/bin/py", python: "3.11.2", advisor: "0.1.0", place: "/x/advisor/__init__.py" };

test("an interpreter with the advisor", () => {
  assert.deepEqual(readAnswer(candidate, JSON.stringify(told)), { ...candidate, ...told });
});

test("what an interpreter prints before its answer does not matter", () => {
  const answer = readAnswer(candidate, `a line from a start-up file\n${JSON.stringify(told)}\n`);
  assert.ok(isInterpreter(answer));
});

test("an interpreter without the advisor is refused with its version", () => {
  const answer = readAnswer(candidate, JSON.stringify({ ...told, advisor: null }));
  assert.deepEqual(answer, { candidate, reason: "Python 3.11.2 has no package kernel-advisor" });
});

for (const output of ["", "Python was not found", "[1]", "null", "{}"]) {
  test(`an output that is no answer: ${JSON.stringify(output)}`, () => {
    const answer = readAnswer(candidate, output);
    assert.deepEqual(answer, { candidate, reason: "it does not answer like a Python interpreter" });
  });
}

test("a program that does not exist", async () => {
  const answer = await probe({ ...candidate, command: "no-such-python" }, tmpdir());
  assert.deepEqual("reason" in answer && answer.reason, "there is no such program");
});

test("the first that has the advisor is chosen, and no other is asked", async () => {
  const asked: string[] = [];
  const found = await choose(
    ["a", "b", "c"].map((command) => ({ command, origin: "here" })),
    async (tried) => {
      asked.push(tried.command);
      return readAnswer(tried, JSON.stringify({ ...told, advisor: tried.command === "b" ? "0.1.0" : null }));
    },
  );
  assert.equal("command" in found && found.command, "b");
  assert.deepEqual(asked, ["a", "b"]);
});

test("when none has it, each says why", async () => {
  const found = await choose([candidate], async (tried) => readAnswer(tried, "?"));
  assert.deepEqual(found, [{ candidate, reason: "it does not answer like a Python interpreter" }]);
});

test("a package of the name of the advisor that is another one is refused, and not imported", (context) => {
  let python: string;
  try {
    python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf-8" }).trim();
  } catch {
    context.skip("there is no python3 here");
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "advisor-probe-"));
  writeFileSync(path.join(folder, "advisor.py"), "raise SystemExit('imported')\n");
  // -S leaves out site-packages, so an advisor that is installed here is not seen.
  const output = execFileSync(python, ["-S", "-c", QUESTION], { cwd: folder, encoding: "utf-8" });
  const answer = readAnswer(candidate, output);
  assert.match("reason" in answer ? answer.reason : "", /has no package kernel-advisor/);
});
