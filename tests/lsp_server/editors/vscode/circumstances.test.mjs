/** A workspace without trust, and a machine without Kernel Advisor. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { startCodeServer } from "./code-server.mjs";
import { eventually, openWorkbench } from "./workbench.mjs";

async function inWorkbench(options, scenario) {
  const server = await startCodeServer(options);
  let editor;
  try {
    const mark = layTrap(server.folder);
    editor = await openWorkbench(server.url);
    await scenario(editor, () => existsSync(mark));
  } finally {
    await editor?.close();
    server.stop();
  }
}

/** Puts a program where an interpreter is looked for; it leaves a mark when it is started. */
function layTrap(folder) {
  const trap = path.join(folder, ".venv/bin/python");
  mkdirSync(path.dirname(trap), { recursive: true });
  writeFileSync(trap, `#!/bin/sh\ntouch '${folder}/started'\n`);
  chmodSync(trap, 0o755);
  return path.join(folder, "started");
}

test("without trust a kernel is read, and no program of the workspace is started", async () => {
  await inWorkbench({ interpreter: "", trusted: false }, async (editor, trapped) => {
    await editor.open("kernels/matrix_multiply.py");
    await editor.goTo(36, 22);
    await eventually("the warning", async () => (await editor.squiggles("warning")) >= 1);
    assert.match(await editor.statusTooltip(), /not trusted/);
    await editor.screenshot("untrusted");
    assert.ok(!trapped());
  });
});

test("with trust the workspace's own environment is tried first, then the PATH", async () => {
  await inWorkbench({ interpreter: "" }, async (editor, trapped) => {
    await editor.open("kernels/matrix_multiply.py");
    await editor.goTo(36, 22);
    await eventually("the warning", async () => (await editor.squiggles("warning")) >= 1);
    assert.ok(trapped());
  });
});

test("where Kernel Advisor is missing, a message leads to how to install it", async () => {
  await inWorkbench({ interpreter: "/usr/bin/python3" }, async (editor) => {
    await editor.open("kernels/matrix_multiply.py");
    const toast = editor.page.locator(".notification-toast", { hasText: "not installed" });
    await toast.waitFor();
    assert.match(await editor.statusTooltip(), /does not run/);
    await editor.screenshot("missing");
    await toast.locator(".monaco-button", { hasText: "How to Install" }).click();
    assert.match(await editor.preview("not installed"), /usr.bin.python3.*has no package kernel-advisor/);
    await editor.screenshot("how-to-install");
  });
});
