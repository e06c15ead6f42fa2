/** VS Code's window as its user handles it: files, squiggles, lenses, hints, hovers, fixes. */

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PROGRAM } from "./code-server.mjs";

const { chromium } = createRequire(path.join(PROGRAM, ".editors/code-server/package.json"))("playwright-core");
const SCREENSHOTS = path.join(PROGRAM, ".editors/screenshots");
const PATIENCE_MS = 60_000;
const STEP_MS = 15_000;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** Opens a window on a folder; ends with `close`. */
export async function openWorkbench(url) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
  page.setDefaultTimeout(PATIENCE_MS);
  const outside = [];
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    // Parts of a page inside the window have names of this kind, which VS Code's own worker in the page answers.
    const within = hostname.endsWith(".vscode-resource.vscode-cdn.net");
    if (protocol.startsWith("http") && hostname !== "127.0.0.1" && !within) {
      outside.push(request.url());
    }
  });
  await page.goto(url);
  await page.waitForSelector(".monaco-workbench .explorer-folders-view .monaco-list-row");
  return new Workbench(browser, page, outside);
}

/** Calls `look` until it gives something, and returns that; says what it waited for when it never does. */
export async function eventually(what, look, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  let last;
  do {
    try {
      last = await look();
      if (last) {
        return last;
      }
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  } while (Date.now() < end);
  throw new Error(`waited in vain for ${what}; last seen: ${String(last)}`);
}

const plain = (text) => text.replaceAll("\u00a0", " ").replaceAll("\u200b", "");

class Workbench {
  constructor(browser, page, outside) {
    this.browser = browser;
    this.page = page;
    /** The requests that went anywhere but to this machine. */
    this.outside = outside;
  }

  async close() {
    await this.browser.close();
  }

  async screenshot(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    // What opens fades in.
    await this.page.waitForTimeout(400);
    await this.page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
  }

  /** Runs a command by its title, from the palette. */
  async command(title) {
    await this.page.keyboard.press("F1");
    await this.page.waitForSelector(".quick-input-widget .monaco-list-row");
    await this.page.keyboard.type(title);
    const row = this.page.locator(".quick-input-widget .monaco-list-row", { hasText: title }).first();
    await row.waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file of the workspace, by its path, and waits for its text. */
  async open(file) {
    const name = path.basename(file);
    // On a busy machine the list may go away with the window's focus, that a page was closed in before.
    await eventually(`${name} to open`, async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+p");
      await this.page.waitForSelector(".quick-input-widget input", { timeout: STEP_MS });
      await this.page.keyboard.type(file);
      const row = this.page.locator(".quick-input-widget .monaco-list-row", { hasText: name }).first();
      await row.waitFor({ timeout: STEP_MS });
      await this.page.keyboard.press("Enter");
      const tab = this.page.locator(".tabs-container .tab.active", { hasText: name });
      await tab.waitFor({ timeout: STEP_MS });
      return true;
    });
    await this.page.waitForSelector(".editor-instance .view-line, .notebookOverlay .cell");
  }

  /** Puts the cursor on a line and column, and that line in the middle. */
  async goTo(line, column = 1) {
    await this.page.keyboard.press("Control+g");
    await this.page.waitForSelector(".quick-input-widget input");
    await this.page.keyboard.type(`${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await this.page.waitForSelector(".quick-input-widget", { state: "hidden" });
  }

  /** The lines of text that are in sight, with the hints inside them. */
  async lines() {
    const found = await this.page.locator(".editor-instance .view-line").allInnerTexts();
    return found.map(plain);
  }

  /** How many marks of a severity are in sight. */
  squiggles(severity) {
    return this.page.locator(`.editor-instance .squiggly-${severity}`).count();
  }

  async lenses() {
    return (await this.page.locator(".editor-instance .codelens-decoration a").allInnerTexts()).map(plain);
  }

  /** The hints that are in sight, each as its text. */
  async hints() {
    const found = await this.page.locator('.editor-instance .view-line span[class*="dyn-rule"]').allInnerTexts();
    return found.map((text) => plain(text).trim()).filter((text) => text !== "");
  }

  /** The colours of the text in sight. */
  async colours() {
    const found = await this.page
      .locator(".editor-instance .view-line span > span")
      .evaluateAll((spans) => spans.map((span) => getComputedStyle(span).color));
    return new Set(found);
  }

  async statusText() {
    return plain(await this.page.locator('.statusbar-item[id*="kernelAdvisor.status"]').innerText()).trim();
  }

  async statusTooltip() {
    return this.page.locator('.statusbar-item[id*="kernelAdvisor.status"] a').getAttribute("aria-label");
  }

  /** The text of a Markdown page that is shown beside the editor, once it has a text. */
  async preview(wanted) {
    return eventually(`a page with ${wanted}`, async () => {
      for (const frame of this.page.frames()) {
        const text = await frame.evaluate(() => document.querySelector(".markdown-body")?.innerText).catch(() => "");
        if (text?.includes(wanted)) {
          return text;
        }
      }
      return undefined;
    });
  }

  /** The words of the hover over `text`, in the first line that has `inLine`, of which `text` is a part. */
  async hover(inLine, text) {
    const box = await this.place(inLine, text);
    await this.page.mouse.move(box.x - 40, box.y + 40);
    await this.page.mouse.move(box.x, box.y, { steps: 6 });
    const hover = this.page.locator(".monaco-hover:not(.hidden) .hover-contents");
    await hover.first().waitFor();
    return plain((await hover.allInnerTexts()).join("\n"));
  }

  /** The middle of the first character of a text on the screen. */
  async place(inLine, text) {
    return eventually(`a line with ${inLine}`, () => this.page.evaluate(placeOf, [inLine, text]));
  }

  /** Opens the menu of actions at the cursor; its titles. */
  async actions() {
    await this.page.keyboard.press("Control+.");
    const rows = this.page.locator(".action-widget .monaco-list-row.action");
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map((text) => plain(text).trim());
  }

  /** Takes the action that has a title, from the menu that is open. */
  async take(title) {
    const rows = this.page.locator(".action-widget .monaco-list-row");
    for (let turn = 0; turn < 30; turn += 1) {
      const focused = plain((await this.page.locator(".action-widget .monaco-list-row.focused").allInnerTexts()).join());
      if (focused.includes(title)) {
        await this.page.keyboard.press("Enter");
        await eventually("the menu to close", async () => (await rows.count()) === 0);
        return;
      }
      await this.page.keyboard.press("ArrowDown");
      await this.page.waitForTimeout(50);
    }
    throw new Error(`there is no action ${title} among ${await rows.allInnerTexts()}`);
  }

  /** The rows of the panel of problems that have a text, once there are some; shows the panel meanwhile. */
  async problemRows(wanted, name = "problems") {
    await this.page.keyboard.press("Control+Shift+m");
    const rows = this.page.locator(".markers-panel .monaco-list-row", { hasText: wanted });
    await rows.first().waitFor();
    const found = (await rows.allInnerTexts()).map((text) => plain(text).replaceAll("\n", " "));
    await this.screenshot(name);
    await this.page.keyboard.press("Control+Shift+m");
    return found;
  }
}

/** Runs in the page: a line's text lies in many nodes, one for each token. */
function placeOf([inLine, text]) {
  for (const line of document.querySelectorAll(".editor-instance .view-line")) {
    const shown = line.textContent.replaceAll("\u00a0", " ").indexOf(inLine);
    if (shown < 0) {
      continue;
    }
    let left = shown + inLine.indexOf(text);
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (left < node.data.length) {
        const range = document.createRange();
        range.setStart(node, left);
        range.setEnd(node, left + 1);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      left -= node.data.length;
    }
  }
  return undefined;
}
