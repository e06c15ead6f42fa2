/** A rule file in VS Code. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startCodeServer } from "./code-server.mjs";
import { eventually, openWorkbench } from "./workbench.mjs";

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

test("a rule file has its language and its colours", async () => {
  await editor.open("house/crowded-kernel.rules");
  await editor.page.locator(".statusbar-item", { hasText: "Advisor Rules" }).waitFor();
  const colours = await eventually("several colours", async () => {
    const found = await editor.colours();
    return found.size >= 4 && found;
  });
  assert.ok(colours.size >= 4, [...colours].join());
});

test("the rule has a lens with its examples", async () => {
  const lenses = await eventually("a lens", async () => {
    const found = await editor.lenses();
    return found.some((text) => /example/.test(text)) && found;
  });
  assert.match(lenses.join(), /3/);
  await editor.screenshot("rule");
});

test("a mistake is marked while it is typed, and goes when it is fixed", async () => {
  await editor.goTo(6, 18);
  await editor.page.keyboard.type("z");
  await eventually("an error", async () => (await editor.squiggles("error")) >= 1);
  await eventually("the lens to say so", async () => (await editor.lenses()).some((text) => /not loaded/.test(text)));
  const rows = await editor.problemRows("is not a metric of", "rule-problems");
  assert.match(rows[0], /is not a metric of .?kernel/);
  const words = await editor.hover("when k.registerzs", "registerzs");
  assert.match(words, /Did you mean .?registers/);
  await editor.screenshot("rule-error");
  await editor.page.keyboard.press("Escape");
  await editor.goTo(6, 19);
  await editor.page.keyboard.press("Backspace");
  await eventually("the error to go", async () => (await editor.squiggles("error")) === 0);
});

test("the metrics of an entity are offered with their meaning", async () => {
  await editor.goTo(6, 8);
  await editor.page.keyboard.press("Shift+End");
  await editor.page.keyboard.type("k.spi");
  const row = editor.page.locator(".suggest-widget .monaco-list-row", { hasText: "spill" }).first();
  await row.waitFor();
  await editor.screenshot("completion");
  await editor.page.keyboard.press("Escape");
});

test("nothing was asked for outside this machine", () => {
  assert.deepEqual(editor.outside, []);
});
