/** What is shown: the status item, the devices, the pages. */

import assert from "node:assert/strict";
import test from "node:test";
import { readDevices } from "../src/devices";
import { howToInstall, information, type Facts } from "../src/report";
import { preferences, readSettings } from "../src/settings";
import { shown, type State } from "../src/state";

const ready: State = { phase: "ready", work: [], device: "", reason: "", trusted: true };

test("the status item of a server that is ready names the device that was chosen", () => {
  assert.equal(shown(ready).text, "$(check) Advisor");
  assert.equal(shown({ ...ready, device: "h100-sxm" }).text, "$(check) Advisor: h100-sxm");
  assert.match(shown({ ...ready, device: "h100-sxm" }).tooltip, /Judged for h100-sxm\./);
});

test("work shows the latest title", () => {
  const busy = shown({ ...ready, work: ["Compiling", "Simulating blur"] });
  assert.match(busy.text, /sync~spin/);
  assert.match(busy.tooltip, /^Simulating blur …/);
});

test("a failure says why, in the colour of errors", () => {
  const failed = shown({ ...ready, phase: "failed", reason: "no interpreter." });
  assert.deepEqual([failed.kind, failed.tooltip], ["error", "Kernel Advisor does not run: no interpreter."]);
});

test("a workspace without trust is told of, once trusted no longer", () => {
  assert.match(shown({ ...ready, trusted: false }).tooltip, /not trusted/);
  assert.doesNotMatch(shown(ready).tooltip, /trusted/);
});

test("devices as `advisor devices` prints them", () => {
  const output = '{"devices": [{"id": "t4", "name": "NVIDIA T4", "compute_capability": "7.5", "sm_count": 40}]}';
  assert.deepEqual(readDevices(output), [
    { id: "t4", name: "NVIDIA T4", detail: "compute capability 7.5, 40 SMs" },
  ]);
});

for (const output of ["", "{}", '{"devices": [{}]}', '{"devices": [{"id": 4, "name": "x"}]}']) {
  test(`devices of another form are refused: ${output || "nothing"}`, () => {
    assert.throws(() => readDevices(output));
  });
}

const settings = readSettings((name) => (name === "device" ? "t4" : undefined));
const facts: Facts = {
  extension: "0.1.0",
  editor: "Code 1.99",
  platform: "linux x64",
  server: "kernel-advisor 0.1.0",
  phase: "ready",
  reason: "",
  encoding: "utf-16",
  folders: ["/p"],
  chosen: [{ candidate: { command: "python3", origin: "the PATH" }, reason: "it fails" }],
  settings,
  preferences: preferences(settings, false),
  commands: ["advisor.explain"],
};

test("the diagnostic information holds what a report needs", () => {
  const lines = information(facts).split("\n");
  for (const line of [
    "- Server: ready, kernel-advisor 0.1.0",
    "- Position encoding: utf-16",
    "- `python3` (from the PATH): it fails",
    '- device: `"t4"`',
    "- trusted: `false`",
    "- advisor.explain",
  ]) {
    assert.ok(lines.includes(line), line);
  }
});

test("the diagnostic information names the interpreter that runs", () => {
  const chosen = {
    command: "python3",
    origin: "the PATH",
    executable: "/usr/bin/python3",
    python: "3.11.2",
    advisor: "0.1.0",
    place: "/x/__init__.py",
  };
  assert.match(information({ ...facts, chosen }), /- Executable: `\/usr\/bin\/python3` \(from the PATH\)/);
  assert.match(information({ ...facts, chosen: undefined, phase: "starting" }), /not looked for yet/);
});

test("how to install it begins with what was tried", () => {
  const page = howToInstall([{ candidate: { command: "py", origin: "the PATH" }, reason: "it fails" }], false);
  assert.match(page, /- `py` \(from the PATH\): it fails/);
  assert.match(page, /not trusted/);
  assert.match(page, /pip install/);
  assert.doesNotMatch(howToInstall([], true), /not trusted/);
});
