"""Whether the fixes that the server offers while somebody types can be applied.

    python benchmarks/editor/offered_fixes.py FOLDER [--only LIST] [--offers 2000] [--seed 1] [--server CMD]

FOLDER holds repositories, each in a folder of its own. Their files with kernels, or those that a file LIST
names (a path from FOLDER on each line), are opened one after the other and edited at random, also so that
they do not parse for a moment. Right after each edit code actions are asked for at a random range; each fix
that is offered is resolved where it has no edit yet, and put into the text that the client has. It has failed
when the server refuses to resolve it, when its edit is for another version, when its edits overlap, when the
text parsed before and does not behind it, or when a text that did not parse has other broken lines behind it
than before. The files with offers are gone through again until there are enough. Nothing is written to
FOLDER.
"""

from __future__ import annotations

import argparse
import ast
import random
import shlex
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from editor_client import Client

from advisor.model.text.syntax_recovery import recovered

_MOST_LINES = 3_000
_ROUNDS, _ROUNDS_IN_VAIN = 40, 6
_HALF_TYPED = ("x = (", "for step in range(", "if i <", "def other(", "value = a[", "'", "return x +", "@")
_WHOLE = ("scratch = 1", "# 🚀 a remark", "total = 0.0  # naïve", "pass")
_NO_FIX = ("Ignore ", "Explain ")


@dataclass
class Counts:
    """What was offered and how it went."""

    requests: int = 0
    offered: int = 0
    applied: int = 0
    while_broken: int = 0
    broken_requests: int = 0
    preferred: int = 0
    comments: int = 0
    not_yet: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    seconds_with_fixes: list[float] = field(default_factory=list)


class Text:
    """A document that is open in a client and sent whole."""

    def __init__(self, client: Client, file: Path) -> None:
        self.client, self.uri, self.version = client, file.as_uri(), 1
        self.text = file.read_bytes().decode("utf-8").replace("\r\n", "\n")
        opened = {"uri": self.uri, "languageId": "python", "version": 1, "text": self.text}
        client.notify("textDocument/didOpen", {"textDocument": opened})

    def change(self, text: str) -> None:
        """Take another text."""
        self.text, self.version = text, self.version + 1
        named = {"uri": self.uri, "version": self.version}
        self.client.notify(
            "textDocument/didChange", {"textDocument": named, "contentChanges": [{"text": text}]}
        )

    def lines_with_findings(self) -> list[int]:
        """The first lines of the diagnostics at present, from 0."""
        report = self.client.ask("textDocument/diagnostic", {"textDocument": {"uri": self.uri}})
        return [one["range"]["start"]["line"] for one in report.get("items", [])]

    def actions(self, first: int, last: int) -> list[dict[str, Any]]:
        """The code actions of some lines, from 0."""
        place = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        params = {"textDocument": {"uri": self.uri}, "range": place, "context": {"diagnostics": []}}
        return self.client.ask("textDocument/codeAction", params) or []

    def close(self) -> None:
        """Close it; nothing was saved."""
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})


class Refused(Exception):
    """An offered fix cannot be applied, for that reason."""


def main() -> int:
    """0 when no offered fix has failed, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=Path)
    parser.add_argument("--offers", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3_600.0)
    parser.add_argument("--server", default=f"{shlex.quote(sys.executable)} -m advisor server")
    given = parser.parse_args()
    rng = random.Random(given.seed)
    counts, until = Counts(), time.perf_counter() + given.seconds
    folder = given.folder.resolve()
    repositories = sorted(one for one in folder.iterdir() if one.is_dir())
    listed = given.only.read_text("utf-8").split("\n") if given.only else []
    files = [folder / line for line in listed if line] or list(_files(repositories))
    with tempfile.TemporaryDirectory() as place:
        client = Client(shlex.split(given.server), Path(place), caches=Path(place), workspaces=repositories)
        while files and counts.offered < given.offers:
            rng.shuffle(files)
            for file in list(files):
                if counts.offered >= given.offers or time.perf_counter() > until:
                    files = []
                    break
                before = counts.offered
                _type_in(client, file, rng, counts)
                if counts.offered == before:
                    files.remove(file)
        client.process.kill()
        client.process.wait()
    _tell(counts)
    return 1 if counts.failures else 0


def _files(repositories: Sequence[Path]) -> Iterator[Path]:
    """The files with kernels that are of a usual length and are Python of today."""
    for file in (file for folder in repositories for file in sorted(folder.rglob("*.py"))):
        data = file.read_bytes()
        if b"cuda" in data and b"jit" in data and data.count(b"\n") < _MOST_LINES:
            try:
                if _parses(data.decode("utf-8")):
                    yield file
            except UnicodeDecodeError:
                continue


def _type_in(client: Client, file: Path, rng: random.Random, counts: Counts) -> None:
    text = Text(client, file)
    original = text.text
    concerned = text.lines_with_findings()
    offered = counts.offered
    for number in range(_ROUNDS if concerned else 0):
        if number == _ROUNDS_IN_VAIN and counts.offered == offered:
            break
        text.change(original if rng.random() < 0.3 else _edited(text.text, rng))
        if rng.random() < 0.2:
            concerned = text.lines_with_findings() or concerned
        lines = text.text.count("\n") + 1
        # As an editor does, which asks again when the cursor has moved.
        for _ in range(rng.randrange(1, 4)):
            at = rng.choice(concerned) if rng.random() < 0.8 else rng.randrange(lines)
            first, last = max(at - rng.randrange(20), 0), at + rng.randrange(1, 20)
            begun = time.perf_counter()
            actions = text.actions(*((0, lines) if rng.random() < 0.2 else (first, last)))
            seconds = time.perf_counter() - begun
            fixed = _look_at(actions, text, counts)
            counts.requests += 1
            counts.broken_requests += not _parses(text.text)
            counts.seconds.append(seconds)
            if fixed:
                counts.seconds_with_fixes.append(seconds)
        if fixed and rng.random() < 0.1:
            text.change(rng.choice(fixed))
    text.close()
    client.forget()
    print(f"{counts.requests:5} {counts.offered:5} {file}", file=sys.stderr, flush=True)


def _edited(text: str, rng: random.Random) -> str:
    """The text with a line more, half of one, a line less, or a character less."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    kind = rng.randrange(6)
    if kind < 2:
        lines.insert(at, indent + rng.choice(_WHOLE))
    elif kind == 2:
        lines.insert(at, indent + rng.choice(_HALF_TYPED))
    elif kind == 3:
        lines.insert(at, "")
    elif kind == 4:
        lines[at] = lines[at][:-1]
    else:
        del lines[at]
    return "\n".join(lines)


def _look_at(actions: Sequence[dict[str, Any]], text: Text, counts: Counts) -> list[str]:
    """The texts that the offered fixes give, counted."""
    found = []
    for action in actions:
        if "disabled" in action:
            counts.not_yet += 1
            continue
        if action["title"].startswith(_NO_FIX):
            counts.comments += action["title"].startswith("Ignore ")
            continue
        counts.offered += 1
        counts.while_broken += not _parses(text.text)
        counts.preferred += bool(action.get("isPreferred"))
        try:
            found.append(_applied(action, text))
            counts.applied += 1
        except Refused as reason:
            counts.failures[str(reason)] += 1
            print(f"{text.uri}: {action['title']}: {reason}", file=sys.stderr)
    return found


def _applied(action: dict[str, Any], text: Text) -> str:
    """The client's text behind an action; raises Refused."""
    if "edit" not in action:
        try:
            action = text.client.ask("codeAction/resolve", action)
        except RuntimeError as error:
            raise Refused(f"not resolved: {error}") from None
    changes = action["edit"].get("documentChanges") or []
    if not changes:
        raise Refused("an edit without a version")
    result = text.text
    for change in changes:
        own = change["textDocument"]["uri"] == text.uri
        if own and change["textDocument"]["version"] != text.version:
            raise Refused("an edit for another version")
        file = Path(change["textDocument"]["uri"].removeprefix("file://").replace("%2B", "+"))
        before = text.text if own else file.read_bytes().decode("utf-8")
        after = _with_edits(before, change["edits"])
        if after == before:
            raise Refused("an edit that changes nothing")
        if _parses(before) and not _parses(after):
            raise Refused("the text does not parse any more")
        if not _parses(before) and _broken_lines(after) != _broken_lines(before):
            raise Refused("other lines are broken than before")
        result = after if own else result
    return result


def _with_edits(text: str, edits: Sequence[dict[str, Any]]) -> str:
    """The text with edits whose columns count units of UTF-16; raises Refused where they overlap."""
    lines = text.replace("\r\n", "\n").split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(place: dict[str, int]) -> int:
        line = lines[place["line"]].encode("utf-16-le")
        return starts[place["line"]] + len(line[: 2 * place["character"]].decode("utf-16-le"))

    joined = "\n".join(lines)
    spans = sorted((offset(e["range"]["start"]), offset(e["range"]["end"]), e["newText"]) for e in edits)
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        raise Refused("edits that overlap")
    for start, end, new in reversed(spans):
        joined = joined[:start] + new + joined[end:]
    return joined


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _broken_lines(text: str) -> list[str] | None:
    """The lines that cannot be read, as they stand; None where nothing can."""
    read = recovered(text)
    lines = text.split("\n")
    return None if read is None else ["\n".join(lines[one.first - 1 : one.last]) for one in read.broken]


def _tell(counts: Counts) -> None:
    print(
        f"requests {counts.requests:,}, fixes offered {counts.offered:,}, applied {counts.applied:,}, ",
        end="",
    )
    print(f"failed {sum(counts.failures.values()):,}")
    print(f"while the text does not parse: requests {counts.broken_requests:,}, ", end="")
    print(f"fixes offered {counts.while_broken:,}")
    print(f"preferred {counts.preferred:,}, shown as not known yet {counts.not_yet:,}, ", end="")
    print(f"comments that ignore {counts.comments:,}")
    for reason, number in counts.failures.most_common():
        print(f"  {number:,} x {reason}")
    for name, seconds in (("all", counts.seconds), ("with fixes", counts.seconds_with_fixes)):
        if len(seconds) > 1:
            cuts = statistics.quantiles(seconds, n=20)
            print(f"seconds of a request, {name}: p50 {statistics.median(seconds):.2f}, p95 {cuts[-1]:.2f}")


if __name__ == "__main__":
    raise SystemExit(main())
