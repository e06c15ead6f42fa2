"""Times 200 rules over 100,000 records beside the same predicates in Polars on one thread.

    python benchmarks/rule_throughput.py [--rounds N]

Both start from columns in memory and end with the numbers of rows where each predicate is certainly true
and where it is unknown; the numbers must agree. Rounds are interleaved; the ratio is the median of theirs.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time

os.environ["POLARS_MAX_THREADS"] = "1"

import numpy as np
import polars as pl

from advisor.evidence.metrics.tables import Column, Table, Tables
from advisor.model.text.source_text import Span
from advisor.rules import Rulebook, RuleSettings, rulebook_from_texts
from advisor.rules.evaluation.columns import View
from advisor.rules.evaluation.judgement import RuleJudge

_RULES, _RECORDS, _METRICS = 200, 100_000, 12
_UNKNOWN_SHARE = 0.05
_VOCABULARY = 'edition 1\nentity kernel "a kernel" {{\n{fields}  flag : truth "a flag"\n}}\n'
_RULE = """/// A generated rule.
rule rule-{number} "Rule {number}" {{
  for each kernel k
  param limit = {limit} range 0 .. 1000
  when {condition}
  severity info  confidence low  effort low
  say "x"  why "x"  try "x"
  source "generated"
  example fires "x" {{ k.flag = true }}
  example silent "x" {{ k.flag = false }}
}}
"""


def predicates(chance: random.Random) -> list[tuple[str, int, pl.Expr]]:
    """For each rule its condition as text, its parameter, and the same predicate for Polars."""
    found = []
    for _ in range(_RULES):
        a, b, c = chance.sample(range(_METRICS), 3)
        limit, low = chance.randint(100, 900), chance.randint(1, 400)
        x, y, z, flag = pl.col(f"m{a}"), pl.col(f"m{b}"), pl.col(f"m{c}"), pl.col("flag")
        shape = chance.randrange(4)
        if shape == 0:
            found.append((f"k.m{a} > limit and k.m{b} < {low}", limit, (x > limit) & (y < low)))
        elif shape == 1:
            text = f"(k.m{a} > limit or k.m{b} < {low}) and k.m{c} >= {low}"
            found.append((text, limit, ((x > limit) | (y < low)) & (z >= low)))
        elif shape == 2:
            found.append((f"k.m{a} + k.m{b} > limit and k.flag", limit, (x + y > limit) & flag))
        else:
            text = f"k.m{a} between {low} and limit and not k.flag and k.m{c} * 2 > k.m{b}"
            found.append((text, limit, x.is_between(low, limit) & ~flag & (z * 2 > y)))
    return found


def rulebook(conditions: list[tuple[str, int, pl.Expr]]) -> Rulebook:
    """The rules with those conditions."""
    fields = "".join(f'  m{number} : count range 0 .. "a metric"\n' for number in range(_METRICS))
    texts = [("metrics/words.rules", _VOCABULARY.format(fields=fields))]
    for number, (condition, limit, _) in enumerate(conditions):
        rule = _RULE.format(number=number, limit=limit, condition=condition)
        texts.append((f"all/rule-{number}.rules", rule))
    return rulebook_from_texts(texts)


def columns(chance: np.random.Generator) -> dict[str, np.ndarray]:
    """Values of every metric, NaN where unknown."""
    found = {}
    for name in [*(f"m{number}" for number in range(_METRICS)), "flag"]:
        values = chance.integers(0, 2 if name == "flag" else 1000, _RECORDS).astype(np.float64)
        values[chance.random(_RECORDS) < _UNKNOWN_SHARE] = np.nan
        found[name] = values
    return found


def our_table(values: dict[str, np.ndarray]) -> Tables:
    """The values as a table of records."""
    sources = np.zeros(_RECORDS, dtype=np.uint8)
    keyed = {name: Column(column, sources) for name, column in values.items()}
    names = [f"k{row}" for row in range(_RECORDS)]
    spans = [Span(1)] * _RECORDS
    table = Table("kernel", names, names, ["a.py"] * _RECORDS, spans, np.full(_RECORDS, -1), keyed)
    return {"kernel": table}


def polars_frame(values: dict[str, np.ndarray]) -> pl.DataFrame:
    """The values as a frame with nulls for what is unknown."""
    frame = pl.DataFrame(values).with_columns(pl.all().fill_nan(None))
    return frame.with_columns(pl.col("flag").cast(pl.Boolean))


def judge_ours(book: Rulebook, tables: Tables) -> list[tuple[int, int]]:
    """For each rule the rows where it fires and where it is unknown."""
    found = []
    view = View(tables, {"k": "kernel"}, book.owner_entity())
    for rule in book.rules:
        true, possible = RuleJudge(book, rule, RuleSettings()).masks(view)
        found.append((int(true.sum()), int(possible.sum() - true.sum())))
    return found


def judge_polars(frame: pl.DataFrame, wanted: list[pl.Expr]) -> list[tuple[int, int]]:
    """The same from Polars: true and null of each predicate."""
    found = []
    for predicate in wanted:
        row = frame.select(predicate.sum().alias("t"), predicate.null_count().alias("u")).row(0)
        found.append((int(row[0]), int(row[1])))
    return found


def main() -> None:
    """Print the medians of the times and the median of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    wanted = predicates(random.Random(1))
    book = rulebook(wanted)
    values = columns(np.random.default_rng(1))
    tables, frame = our_table(values), polars_frame(values)
    expressions = [expression for _, _, expression in wanted]
    assert judge_ours(book, tables) == judge_polars(frame, expressions), "the two disagree"
    ours, theirs = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        judge_ours(book, tables)
        between = time.perf_counter()
        judge_polars(frame, expressions)
        ours.append(between - began)
        theirs.append(time.perf_counter() - between)
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    theirs_name = f"Polars {pl.__version__}, one thread, s"
    print(f"| rules x records | advisor, s | {theirs_name} | ratio (median, least, most) |")
    print("|---|---|---|---|")
    print(
        f"| {_RULES} x {_RECORDS:,} | {statistics.median(ours):.3f} | {statistics.median(theirs):.3f} "
        f"| {statistics.median(ratios):.2f} ({min(ratios):.2f}, {max(ratios):.2f}) |"
    )


if __name__ == "__main__":
    main()
