/** Which interpreters are tried, and that none inside an untrusted workspace is. */

import assert from "node:assert/strict";
import test from "node:test";
import { candidates, type Circumstances } from "../src/interpreters";

function around(changed: Partial<Circumstances>): Circumstances {
  return {
    setting: "",
    chosen: undefined,
    folders: ["/p/one"],
    trusted: true,
    home: "/h/me",
    platform: "linux",
    exists: () => false,
    ...changed,
  };
}

const commands = (changed: Partial<Circumstances>): string[] =>
  candidates(around(changed)).map(({ command }) => command);

test("without anything else the PATH is tried", () => {
  assert.deepEqual(commands({}), ["python3", "python"]);
  assert.deepEqual(commands({ platform: "win32", folders: ["C:\\p"] }), ["python", "py"]);
});

test("the Python extension's choice goes before environments, and these before the PATH", () => {
  const exists = (file: string): boolean => file === "/p/one/.venv/bin/python";
  assert.deepEqual(commands({ chosen: "/opt/py", exists }), [
    "/opt/py",
    "/p/one/.venv/bin/python",
    "python3",
    "python",
  ]);
});

test("environments are looked for in every folder", () => {
  const exists = (file: string): boolean => file.includes("/venv/");
  assert.deepEqual(commands({ folders: ["/a", "/b"], exists }).slice(0, 2), [
    "/a/venv/bin/python",
    "/b/venv/bin/python",
  ]);
});

test("on Windows environments have another form", () => {
  const exists = (file: string): boolean => file === "C:\\p\\.venv\\Scripts\\python.exe";
  assert.equal(
    commands({ platform: "win32", folders: ["C:\\p"], exists })[0],
    "C:\\p\\.venv\\Scripts\\python.exe",
  );
});

test("a setting stands alone", () => {
  assert.deepEqual(commands({ setting: "/opt/py", chosen: "/usr/bin/python3", exists: () => true }), ["/opt/py"]);
});

test("a setting may speak of the folder and of the home", () => {
  assert.deepEqual(commands({ setting: "${workspaceFolder}/env/bin/python" }), ["/p/one/env/bin/python"]);
  assert.deepEqual(commands({ setting: "~/env/bin/python" }), ["/h/me/env/bin/python"]);
  assert.deepEqual(commands({ setting: "/a~b/python" }), ["/a~b/python"]);
});

test("without trust nothing inside the workspace is started", () => {
  const untrusted = { trusted: false, exists: () => true };
  assert.deepEqual(commands(untrusted), ["python3", "python"]);
  assert.deepEqual(commands({ ...untrusted, chosen: "/p/one/env/bin/python" }), ["python3", "python"]);
  assert.deepEqual(commands({ ...untrusted, chosen: "/p/one/../../h/py" }), ["/p/one/../../h/py", "python3", "python"]);
  assert.deepEqual(commands({ ...untrusted, chosen: "/p/one-else/py" })[0], "/p/one-else/py");
});

test("nothing is tried twice", () => {
  const exists = (file: string): boolean => file === "/p/one/.venv/bin/python";
  assert.deepEqual(commands({ chosen: "/p/one/.venv/bin/python", exists }), [
    "/p/one/.venv/bin/python",
    "python3",
    "python",
  ]);
});
