/** The TextMate grammar on sample rules and on every shipped rule file. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import test from "node:test";
import { createOnigScanner, createOnigString, loadWASM } from "vscode-oniguruma";
import * as textmate from "vscode-textmate";

const EXTENSION = process.cwd();
const KNOWLEDGE = path.join(EXTENSION, "../../knowledge");
const SCOPE = "source.advisor-rules";

interface Token {
  readonly text: string;
  readonly scope: string;
}

async function loadGrammar(): Promise<textmate.IGrammar> {
  await loadWASM(readFileSync(path.join(EXTENSION, "node_modules/vscode-oniguruma/release/onig.wasm")));
  const file = path.join(EXTENSION, "syntaxes/advisor-rules.tmLanguage.json");
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: async () => textmate.parseRawGrammar(readFileSync(file, "utf-8"), file),
  });
  const grammar = await registry.loadGrammar(SCOPE);
  assert.ok(grammar);
  return grammar;
}

const grammar = loadGrammar();

/** The tokens of a text that are not blank, each with its innermost scope less the language's ending. */
async function tokens(text: string): Promise<Token[]> {
  const loaded = await grammar;
  const found: Token[] = [];
  let stack = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = loaded.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      const shown = line.slice(token.startIndex, token.endIndex);
      if (shown.trim() !== "") {
        const scope = token.scopes.at(-1) ?? "";
        found.push({ text: shown.trim(), scope: scope.replace(/\.advisor-rules$/, "") });
      }
    }
  }
  return found;
}

async function scopeOf(text: string, word: string): Promise<string | undefined> {
  return (await tokens(text)).find((token) => token.text === word)?.scope;
}

test("a rule's head, its variable and its documentation", async () => {
  const text = '/// Too many registers.\nrule hungry-kernel "Hungry" {\n  for each access a of kernel k\n}';
  assert.deepEqual(await tokens(text), [
    { text: "///", scope: "punctuation.definition.comment" },
    { text: "Too many registers.", scope: "comment.line.documentation" },
    { text: "rule", scope: "storage.type" },
    { text: "hungry-kernel", scope: "entity.name.type.rule" },
    { text: '"', scope: "punctuation.definition.string.begin" },
    { text: "Hungry", scope: "string.quoted.double" },
    { text: '"', scope: "punctuation.definition.string.end" },
    { text: "{", scope: "punctuation.section.block" },
    { text: "for each", scope: "keyword.control" },
    { text: "access", scope: "entity.name.class" },
    { text: "a", scope: "variable.parameter" },
    { text: "of", scope: "keyword.operator.word" },
    { text: "kernel", scope: "entity.name.class" },
    { text: "k", scope: "variable.parameter" },
    { text: "}", scope: "punctuation.section.block" },
  ]);
});

test("a condition with metrics, numbers and units", async () => {
  assert.deepEqual(await tokens("when k.registers >= 128 and a.sectors > 4 sectors/request"), [
    { text: "when", scope: "keyword.control" },
    { text: "k", scope: "variable.other" },
    { text: ".registers", scope: "variable.other.property" },
    { text: ">=", scope: "keyword.operator.comparison" },
    { text: "128", scope: "constant.numeric" },
    { text: "and", scope: "keyword.operator.word" },
    { text: "a", scope: "variable.other" },
    { text: ".sectors", scope: "variable.other.property" },
    { text: ">", scope: "keyword.operator.comparison" },
    { text: "4", scope: "constant.numeric" },
    { text: "sectors/request", scope: "keyword.other.unit" },
  ]);
});

test("a share: the word after a number is no unit when it is an operator", async () => {
  const found = await tokens("20% of k.time otherwise 3 or 1e-3 ms");
  assert.deepEqual(
    found.filter(({ scope }) => scope === "keyword.other.unit").map(({ text }) => text),
    ["%", "ms"],
  );
  assert.equal(await scopeOf("20% of k.time", "of"), "keyword.operator.word");
});

test("a metric that is called like a keyword stays a metric", async () => {
  assert.equal(await scopeOf("when k.source = 1", ".source"), "variable.other.property");
  assert.equal(await scopeOf("when range_of_motion > 1", "range_of_motion"), "variable.other");
});

test("places in texts, and escapes", async () => {
  const found = await tokens('say "{k} uses {k.registers}, \\"more\\" than {most} {not this}"');
  assert.deepEqual(
    found.filter(({ scope }) => scope === "variable.other.interpolated").map(({ text }) => text),
    ["k", "k.registers", "most"],
  );
  assert.equal(found.filter(({ scope }) => scope === "constant.character.escape").length, 2);
});

test("keywords in texts and comments are no keywords", async () => {
  const scopes = (await tokens('why "when the rule fires" // unless example')).map(({ scope }) => scope);
  assert.deepEqual(scopes.filter((scope) => scope.startsWith("keyword")), ["keyword.control"]);
});

test("a text that is not closed ends with its line", async () => {
  assert.equal(await scopeOf('say "open\nwhen k.x', "when"), "keyword.control");
});

test("the other items of a rule file", async () => {
  assert.equal(await scopeOf("metric waste : ratio of kernel k", "waste"), "entity.name.variable.metric");
  assert.equal(await scopeOf("metric waste : ratio of kernel k", "ratio"), "support.type.unit");
  assert.equal(await scopeOf("entity queue of run", "queue"), "entity.name.class");
  assert.equal(await scopeOf("define crowded(k) = true", "crowded"), "entity.name.function");
  assert.equal(await scopeOf("renamed strided-access to other-one", "other-one"), "entity.name.type.rule");
  assert.equal(await scopeOf('disable because "x" until 2035-06-30', "2035-06-30"), "constant.numeric.date");
  assert.equal(await scopeOf("param most = 3 range 1 .. 9", ".."), "keyword.operator.range");
  assert.equal(await scopeOf('param most = 3 "x" formerly limit', "formerly"), "keyword.other.clause");
  assert.equal(await scopeOf("when max(k.a, 2) > 1", "max"), "support.function");
  assert.equal(await scopeOf("when crowded(k)", "crowded"), "entity.name.function");
  assert.equal(await scopeOf('example unknown "n" { k.a = missing }', "missing"), "constant.language");
  assert.equal(await scopeOf("given { k.a = 1 }", "given"), "keyword.control");
  assert.equal(await scopeOf("param most = 3 given { k.a = 1 }", "given"), "keyword.control");
  assert.equal(await scopeOf("severity warning, info when assumed", "info"), "constant.language.degree");
});

test("every character of the shipped rule files belongs to a scope of the grammar, but brackets", async () => {
  const files = readdirSync(KNOWLEDGE, { recursive: true, encoding: "utf-8" }).filter((file) => file.endsWith(".rules"));
  assert.ok(files.length > 40, `only ${files.length} rule files were found`);
  for (const file of files) {
    const text = readFileSync(path.join(KNOWLEDGE, file), "utf-8");
    const plain = (await tokens(text)).filter(({ scope }) => scope === "source");
    assert.deepEqual(plain.filter((token) => /[^()\s]/.test(token.text)), [], file);
  }
});
