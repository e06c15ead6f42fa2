"""A rule or parameter gets its new name in the configuration, too; nothing else changes there."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_texts import HUNGRY
from rule_workspace import RuleWorkspace, replaced

from lsp_server.rule_files.renaming.configured_names import configured_edits
from lsp_server.rule_files.renaming.toml_names import toml_names
from lsp_server.rule_files.text.symbols import Symbol

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN = "hungry-kernel.rules"
PARAM = Symbol("param", "hungry-kernel", "most")
RULE = Symbol("rule", "", "hungry-kernel")
# A configuration, in which each name that must become another stands between these marks.
PARAMS = {
    "a table": "[rules.hungry-kernel.params]\n<most> = 100  # most\n",
    "an inline table": 'rules.hungry-kernel = { level = "info", params = { <most> = 5 } }\n',
    "quoted keys": '[rules."hungry-kernel"]\r\n"params".\'<most>\' = "35%"\r\n',
    "an override": (
        '[[overrides]]\nrule = "other"\nreason = "most"\nparams = { most = 1 }\n'
        '[[overrides]]\nrule = "hungry-kernel"\nreason = "x"\n[overrides.params]\n<most> = 1\n'
    ),
    "another rule's": "[rules.other.params]\nmost = 1\n[rules.hungry-kernel.params]\n<most> = 2\n",
}
RULES = {
    "a table": "[rules.<hungry-kernel>]\nlevel = 'off'\n",
    "lists": (
        'select = ["<hungry-kernel>", "memory"] # hungry-kernel\n[per-file-ignores]\n'
        '"hungry-kernel/*" = [\n "<hungry-kernel>",\n]\n'
    ),
    "an override": ("[[overrides]]\nrule = '<hungry-kernel>'\nlevel = 'off'\nreason = 'hungry-kernel'\n"),
}
NAMED = re.compile("<([a-z-]+)>")


@pytest.fixture
def workspace(tmp_path):
    return RuleWorkspace(tmp_path)


def changed(workspace, name, text, symbol, new):
    file = workspace.folder / name
    file.write_bytes(text.encode())
    found = configured_edits(workspace.snapshot(OWN, HUNGRY), symbol, new)
    return None if found is None else replaced(text, found[1])


@pytest.mark.parametrize(
    ("marked", "symbol", "new"),
    [*((one, PARAM, "limit") for one in PARAMS.values()), *((one, RULE, "greedy") for one in RULES.values())],
    ids=[*(f"parameter in {one}" for one in PARAMS), *(f"rule in {one}" for one in RULES)],
)
def test_the_names_are_changed_and_nothing_else(workspace, marked, symbol, new):
    text = NAMED.sub(r"\1", marked)
    assert changed(workspace, "advisor.toml", text, symbol, new) == NAMED.sub(new, marked)


def test_in_pyproject_only_the_advisors_table_is_meant(workspace):
    text = "[rules.hungry-kernel.params]\nmost = 1\n[tool.advisor.rules.hungry-kernel.params]\nmost = 2\n"
    assert changed(workspace, "pyproject.toml", text, PARAM, "limit") == text.replace("most = 2", "limit = 2")


@pytest.mark.parametrize("text", ["", 'device = "t4"\n', "[rules.other.params]\nmost = 1\n"])
def test_a_configuration_that_does_not_name_it_is_left_alone(workspace, text):
    assert changed(workspace, "advisor.toml", text, PARAM, "limit") is None


@pytest.mark.parametrize(
    "text", ["[rules.hungry-kernel.params\nmost = 1\n", "[rules.hungry-kernel.params]\nmost = 1\nlimit = 2\n"]
)
def test_one_that_cannot_be_read_or_would_not_be_readable_is_refused(workspace, text):
    with pytest.raises(ValueError, match=r"advisor\.toml"):
        changed(workspace, "advisor.toml", text, PARAM, "limit")


def test_the_edit_comes_with_the_others_over_the_protocol(client):
    text = "# ours\n[rules.hungry-kernel.params]\nmost = 100 # measured\n"
    (client.folder / "advisor.toml").write_text(text)
    client.start()
    uri = client.open(OWN, HUNGRY, "advisor-rules")
    place = {"textDocument": {"uri": uri}, "position": {"line": 6, "character": 22}}
    changes = client.ask("textDocument/rename", {**place, "newName": "limit"})["changes"]
    (edit,) = changes[(client.folder / "advisor.toml").as_uri()]
    assert edit == {
        "range": {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 4}},
        "newText": "limit",
    }
    assert len(changes[uri]) == 3
    (client.folder / "advisor.toml").write_text("[rules")
    client.ask("textDocument/rename", {**place, "newName": "limit"})
    told = [one["params"]["message"] for one in client.kept("window/showMessage")]
    assert any("advisor.toml cannot be read and was not changed" in one for one in told)


KEYS = st.text("ab-_1", min_size=1, max_size=4)
VALUES = st.recursive(
    st.integers() | st.booleans() | st.text("a b#[]{}=,.'\n", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def written(value):
    """A value as TOML, tables inline."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + value.replace("\n", "\\n") + '"'
    if isinstance(value, list):
        return "[ # list ]\n" + "".join(f"  {written(one)}, # , }}\n" for one in value) + "]"
    return "{ " + ", ".join(f"{key} = {written(one)}" for key, one in value.items()) + " }"


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_every_key_is_found_at_its_place_with_the_way_to_it(document):
    text = "".join(f"{key}   = {written(value)} # {key} = 1\n" for key, value in document.items())
    try:
        known = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        # TOML wants inline tables on one line, which one around a list is not.
        return
    found = toml_names(text)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert [one.path for one in found if one.is_key] == list(ways(known))


def ways(value, above=()):
    """The ways to all keys, in order."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        if isinstance(value, dict):
            yield (*above, key)
        yield from ways(one, (*above, key))
