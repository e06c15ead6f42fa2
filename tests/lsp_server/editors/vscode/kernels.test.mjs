/** A kernel of the reference workloads in VS Code. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startCodeServer } from "./code-server.mjs";
import { eventually, openWorkbench } from "./workbench.mjs";

const FINDING = "uncoalesced-access";
let server;
let editor;

before(async () => {
  server = await startCodeServer();
  editor = await openWorkbench(server.url);
});

after(async () => {
  await editor?.close();
  server?.stop();
});

test("a kernel shows its findings where they are", async () => {
  await editor.open("kernels/matrix_multiply.py");
  await editor.goTo(36, 22);
  await eventually("the warning", async () => (await editor.squiggles("warning")) >= 1);
  await eventually("the remark on the store", async () => (await editor.squiggles("info")) >= 1);
  assert.match(await editor.statusText(), /Advisor/);
});

test("the numbers stand behind the accesses, and above the kernel", async () => {
  await eventually("a hint on the line", async () =>
    (await editor.lines()).some((line) => line.includes("total +=") && line.includes("16 sectors/request")),
  );
  const lenses = await eventually("the lenses", async () => {
    const found = await editor.lenses();
    return found.length > 0 && found;
  });
  assert.ok(lenses.includes("Simulate"), lenses.join());
  assert.ok(lenses.includes("Machine code"), lenses.join());
  await editor.screenshot("kernel");
});

test("the compiler's numbers arrive by themselves", async () => {
  await eventually("registers in a lens", async () => (await editor.lenses()).some((text) => /registers/.test(text)));
  await editor.screenshot("compiled");
});

test("hovering over an access shows the finding with its numbers", async () => {
  const words = await editor.hover("total += a[i", "a[i");
  assert.match(words, /Neighbouring lanes of a warp touch .?a.? far apart/);
  assert.match(words, new RegExp(FINDING));
  await editor.screenshot("hover");
  await editor.page.keyboard.press("Escape");
});

test("hovering over a kernel shows its card", async () => {
  const words = await editor.hover("def matrix_multiply_first", "matrix_multiply_first");
  assert.match(words, /occupancy/i);
  await editor.screenshot("card");
  await editor.page.keyboard.press("Escape");
});

test("the panel of problems names the rule", async () => {
  const rows = await editor.problemRows(FINDING);
  assert.match(rows[0], /16 sectors\/request where 2/);
});

test("a quick fix is applied, and the finding goes; undone, it comes back", async () => {
  await editor.goTo(36, 22);
  const titles = await editor.actions();
  assert.ok(titles.some((title) => title.includes("Exchange the thread axes")), titles.join("\n"));
  await editor.screenshot("actions");
  await editor.take("Exchange the thread axes");
  await eventually("the edit", async () => (await editor.lines()).some((line) => line.includes("j, i = cuda.grid(2)")));
  await eventually("the findings to go", async () => (await editor.squiggles("warning")) === 0);
  await editor.screenshot("fixed");
  await editor.page.keyboard.press("Control+z");
  await eventually("the findings to come back", async () => (await editor.squiggles("warning")) >= 1);
});

test("a lens leads to all that is known of the kernel", async () => {
  await editor.page.locator(".codelens-decoration a", { hasText: /registers|Explain/ }).first().click();
  const page = await editor.preview("Kernel matrix_multiply_first on");
  assert.match(page, /Accesses to memory/);
  await editor.screenshot("explain");
  await editor.page.keyboard.press("Control+w");
});

test("the machine code of a line is shown", async () => {
  await editor.open("kernels/matrix_multiply.py");
  await editor.goTo(36, 22);
  await editor.command("Kernel Advisor: Show the Machine Code of This Line");
  const page = await editor.preview("LDG");
  assert.match(page, /matrix_multiply_first/);
  await editor.screenshot("machine-code");
  await editor.page.keyboard.press("Control+w");
});

test("simulating on command brings what the simulated GPU says", async () => {
  await editor.open("kernels/matrix_multiply.py");
  await editor.goTo(36, 22);
  await editor.command("Kernel Advisor: Simulate the Workload of This File");
  await eventually("a time in a lens", async () => (await editor.lenses()).some((text) => /predicted \d/.test(text)));
  await editor.page.keyboard.press("Control+b");
  await editor.problemRows(FINDING, "simulated");
  await editor.page.keyboard.press("Control+b");
});

test("a kernel in a notebook shows its findings in its cell", async () => {
  await editor.open("notebook.ipynb");
  await eventually("a mark", async () => (await editor.page.locator(".notebookOverlay .squiggly-warning").count()) > 0);
  await editor.screenshot("notebook");
  await editor.page.keyboard.press("Control+w");
  await editor.open("kernels/matrix_multiply.py");
});

test("the device is chosen from a list, and the status item shows it", async () => {
  await editor.command("Kernel Advisor: Choose the Device");
  const row = editor.page.locator(".quick-input-widget .monaco-list-row", { hasText: "h100-sxm" }).first();
  await row.waitFor();
  await editor.screenshot("devices");
  await editor.page.keyboard.type("h100-sxm");
  await editor.page.keyboard.press("Enter");
  await eventually("the device", async () => (await editor.statusText()).includes("h100-sxm"));
});

test("the diagnostic information names versions and the interpreter", async () => {
  await editor.command("Kernel Advisor: Show Diagnostic Information");
  await editor.page.locator(".tab.active", { hasText: "information.md" }).waitFor();
  const text = await eventually("the text", async () => {
    const found = (await editor.lines()).join("\n");
    return found.includes("Interpreter") && found;
  });
  assert.match(text, /Server: ready, kernel-advisor \d/);
  assert.match(text, /device: `"h100-sxm"`/);
  await editor.screenshot("information");
});

test("nothing was asked for outside this machine", () => {
  assert.deepEqual(editor.outside, []);
});
