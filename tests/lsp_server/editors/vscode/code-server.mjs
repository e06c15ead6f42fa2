/** A code-server of its own for a scenario: its folder, its settings, the extension, and a free port. */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

export const PROGRAM = path.resolve(import.meta.dirname, "../../../..");
const ENTRY = path.join(PROGRAM, ".editors/code-server/node_modules/code-server/out/node/entry.js");
const VSIX = path.join(PROGRAM, "lsp_server/vscode/kernel-advisor.vsix");
const PATIENCE_MS = 60_000;

const SETTINGS = {
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  "chat.disableAIFeatures": true,
  "editor.inlayHints.enabled": "on",
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "editor.scrollbar.horizontal": "hidden",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
};

const CELL = (source) => ({ cell_type: "code", execution_count: null, id: `c${source.length}`, metadata: {}, outputs: [], source });
const NOTEBOOK = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: "python" } },
  cells: [
    CELL("import numpy as np\nfrom numba import cuda"),
    CELL("@cuda.jit\ndef double(a, out):\n    i, j = cuda.grid(2)\n    out[i, j] = 2 * a[i, j]"),
    CELL("a = cuda.to_device(np.ones((512, 512), np.float32))\nout = cuda.device_array_like(a)\ndouble[(32, 32), (16, 16)](a, out)"),
  ],
};

/** A workspace with the reference workloads a notebook and a pack of rules. */
export function makeWorkspace() {
  const root = mkdtempSync(path.join(tmpdir(), "advisor-vscode-"));
  const folder = path.join(root, "work");
  cpSync(path.join(PROGRAM, "kernels"), path.join(folder, "kernels"), {
    recursive: true,
    filter: (file) => path.basename(file) !== "__pycache__",
  });
  cpSync(path.join(PROGRAM, "tests/lsp_server/editors/house"), path.join(folder, "house"), { recursive: true });
  writeFileSync(path.join(folder, "advisor.toml"), 'packs = ["house"]\n');
  writeFileSync(path.join(folder, "notebook.ipynb"), JSON.stringify(NOTEBOOK));
  return { root, folder };
}

/**
 * Starts code-server with the extension; `stop` ends it and removes its folder. The interpreter is a setting of the
 * machine that the extension runs on, which to VS Code is another one than the browser's.
 */
export async function startCodeServer({ interpreter = process.env.PYTHON, trusted = true } = {}) {
  const { root, folder } = makeWorkspace();
  const [data, extensions] = [path.join(root, "data"), path.join(root, "extensions")];
  const machine = { "kernelAdvisor.interpreter": interpreter };
  for (const [place, made] of [["User", SETTINGS], ["Machine", machine]]) {
    mkdirSync(path.join(data, place), { recursive: true });
    writeFileSync(path.join(data, place, "settings.json"), JSON.stringify(made));
  }
  writeFileSync(path.join(root, "config.yaml"), "");
  const places = ["--config", path.join(root, "config.yaml"), "--user-data-dir", data, "--extensions-dir", extensions];
  // VS Code asks the login shell for the PATH; the interpreter is the first on it, for scenarios without the setting.
  writeFileSync(path.join(root, ".profile"), `PATH='${path.dirname(process.env.PYTHON)}':$PATH\n`);
  const own = { EXTENSIONS_GALLERY: "{}", HOME: root, SHELL: "/bin/sh", XDG_CACHE_HOME: path.join(root, "cache") };
  const env = { ...process.env, ...own };
  const installed = spawnSync(process.execPath, [ENTRY, ...places, "--install-extension", VSIX], {
    env,
    encoding: "utf-8",
    timeout: PATIENCE_MS,
  });
  if (installed.status !== 0) {
    throw new Error(`the extension was not installed: ${installed.stdout}${installed.stderr}`);
  }
  const port = await freePort();
  const flags = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"];
  const trust = trusted ? ["--disable-workspace-trust"] : [];
  const argv = [ENTRY, ...places, "--bind-addr", `127.0.0.1:${port}`, ...flags, ...trust];
  // A group of its own, so that what it starts ends with it.
  const server = spawn(process.execPath, argv, { env, stdio: "pipe", detached: true });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.on("data", (data) => (log += data));
  }
  const address = `http://127.0.0.1:${port}`;
  await answering(`${address}/healthz`, () => log);
  const stop = () => {
    try {
      process.kill(-server.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { url: `${address}/?folder=${encodeURIComponent(folder)}`, folder, stop };
}

async function answering(address, log) {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    try {
      if ((await fetch(address)).ok) {
        return;
      }
    } catch {
      // It does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`code-server does not answer: ${log()}`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
