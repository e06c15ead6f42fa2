"""The page on how a fix is written: its example is one, and what it says may be asked exists."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from advisor.fixes.fix_data import FixData

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "writing-fixes.md"
FIXES = ROOT / "advisor" / "fixes"
BEGIN = "<!-- toolkit: written from advisor/fixes/support -->\n"
END = "<!-- end of the toolkit -->\n"
_Function = ast.FunctionDef | ast.ClassDef


def public(body: list[ast.stmt]) -> list[_Function]:
    return [one for one in body if isinstance(one, _Function) and not one.name.startswith("_")]


def tree_of(module: str) -> ast.Module:
    """The tree of a module as the page names it: `place`, or `host/host_uses` in the folder `support`."""
    file = FIXES / ("support" if "/" in module else "") / f"{module}.py"
    return ast.parse(file.read_text("utf-8"))


def toolkit() -> str:
    """A line for each module of `support`: what it says of itself, and the names that it offers."""
    lines = ["\n| module | what it says | names |", "|---|---|---|"]
    for file in sorted((FIXES / "support").glob("*/*.py")):
        if file.stem != "__init__":
            module = file.relative_to(FIXES / "support").with_suffix("").as_posix()
            tree = tree_of(module)
            said = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
            names = ", ".join(f"`{one.name}`" for one in public(tree.body))
            lines.append(f"| `{module}` | {said} | {names} |")
    return "\n".join(lines) + "\n\n"


def rows() -> list[tuple[str, str]]:
    """Each call that a row of the questions' table names, and the module that the row says it is of."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [one.strip() for one in line.strip("|").split(" | ")]
        if len(cells) == 3 and cells[0].endswith("?"):
            found += [(call, cells[2].strip("`")) for call in re.findall(r"`([^`]+)`", cells[1])]
    return found


def declared(call: str, module: str) -> ast.FunctionDef:
    """The function of a module, or the method of one of its classes, that a call names."""
    _, dot, name = call.partition("(")[0].rpartition(".")
    tops = public(tree_of(module).body)
    if dot:
        inside = [one for top in tops if isinstance(top, ast.ClassDef) for one in public(top.body)]
    else:
        inside = [one for one in tops if isinstance(one, ast.FunctionDef)]
    (found,) = [one for one in inside if one.name == name and isinstance(one, ast.FunctionDef)]
    return found


def test_the_list_is_what_the_modules_say(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    shown, _, tail = rest.partition(END)
    if request.config.getoption("--renew-golden"):
        PAGE.write_text(head + BEGIN + toolkit() + END + tail, encoding="utf-8")
    else:
        assert shown == toolkit(), "pytest tests/docs --renew-golden -p no:xdist writes it"


def test_every_question_has_an_answer() -> None:
    assert len(rows()) > 30


@pytest.mark.parametrize(("call", "module"), rows())
def test_what_answers_a_question_is_there_and_is_called_so(call: str, module: str) -> None:
    function = declared(call, module)
    taken = [one.arg for one in function.args.args if one.arg != "self"]
    needed = len(taken) - len(function.args.defaults)
    if function.args.vararg is not None:
        taken.append(f"*{function.args.vararg.arg}")
        needed += 1
    if function.decorator_list:
        assert "(" not in call, "a property"
    else:
        given = [one for one in call.partition("(")[2].removesuffix(")").split(", ") if one]
        assert given == taken[: len(given)] and len(given) >= needed


def test_the_examples_are_a_fix_and_its_test() -> None:
    fix, test = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert fix == (FIXES / "rewrites" / "arithmetic" / "fastmath.py").read_text("utf-8")
    whole = (ROOT / "tests/fixes/arithmetic/test_fastmath.py").read_text("utf-8")
    assert all(part.strip() in whole for part in test.split("\n\n\n"))


def test_every_key_of_the_block_is_explained() -> None:
    keys = re.findall(r"^\| `\[?(\w+)\]?` \| ", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(keys) == sorted(one.name for one in fields(FixData) if one.name != "id")
