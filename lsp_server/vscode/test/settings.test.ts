/** Settings, what the server is told of them, and that the manifest declares them alike. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { needsRestart, preferences, readSettings } from "../src/settings";

interface Property {
  readonly default: unknown;
  readonly description?: string;
  readonly markdownDescription?: string;
}

const manifest = JSON.parse(readFileSync("package.json", "utf-8")) as {
  contributes: {
    commands: { command: string; title: string }[];
    configuration: { properties: Record<string, Property> };
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
};
const properties = manifest.contributes.configuration.properties;
const defaults = readSettings(() => undefined);

test("the manifest declares every setting with the default that is used", () => {
  for (const [name, value] of Object.entries(defaults)) {
    assert.deepEqual(properties[`kernelAdvisor.${name}`]?.default, value, name);
  }
  const further = Object.keys(properties).filter((name) => !(name.replace("kernelAdvisor.", "") in defaults));
  assert.deepEqual(further, ["kernelAdvisor.trace.server"]);
});

test("every setting is described in a sentence", () => {
  for (const [name, property] of Object.entries(properties)) {
    assert.match(property.description ?? property.markdownDescription ?? "", /^[A-Z].*\.$/, name);
  }
});

test("the server's preferences are those that it declares", () => {
  const source = readFileSync("../preferences.py", "utf-8");
  const declared = [...source.matchAll(/^ {4}(\w+): (?:bool|str) = (\w+|"")$/gm)].map(([, name, value]) => [
    (name ?? "").replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value === '""' ? "" : value === "True",
  ]);
  assert.deepEqual(Object.fromEntries(declared), preferences(defaults, false));
});

test("values of the wrong type count as not made", () => {
  const given: Record<string, unknown> = { inlayHints: "no", device: 3, serverArguments: ["-v", 1], simulate: null };
  const settings = readSettings((name) => given[name]);
  assert.deepEqual(settings, { ...defaults, serverArguments: ["-v"] });
});

test("nothing is simulated without trust, whatever the setting says", () => {
  const settings = readSettings((name) => name === "simulate" || undefined);
  assert.equal(preferences(settings, true).simulate, true);
  assert.deepEqual(preferences(settings, false), { ...preferences(defaults, false), trusted: false });
});

test("what could start a program is restricted in workspaces that are not trusted", () => {
  const restricted = ["interpreter", "serverArguments", "simulate"].map((name) => `kernelAdvisor.${name}`);
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, restricted);
});

test("only the interpreter and its arguments need another process", () => {
  assert.ok(needsRestart(defaults, { ...defaults, interpreter: "/x" }));
  assert.ok(needsRestart(defaults, { ...defaults, serverArguments: ["-v"] }));
  assert.ok(!needsRestart(defaults, { ...defaults, device: "h100-sxm", inlayHints: false }));
});

test("every command of the manifest is registered, and no other", () => {
  const source = readFileSync("src/commands.ts", "utf-8");
  const registered = [...source.matchAll(/\badd\("(\w+)"/g)].map(([, name]) => `kernelAdvisor.${name}`);
  assert.deepEqual(registered.sort(), manifest.contributes.commands.map(({ command }) => command).sort());
});
