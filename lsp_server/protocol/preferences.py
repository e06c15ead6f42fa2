"""What the user of an editor has chosen, as the client sends it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from advisor.model.settings.selectors import suggestion

SECTION = "kernelAdvisor"


@dataclass(frozen=True)
class Preferences:
    """The settings under `kernelAdvisor` in the client; the names there are these in camel case.

    `syntax_errors` shows what is no Python, which other servers of the same editor may show too.
    `synthesised_evidence` makes up launches of compiled kernels.
    `device` overrides the device of the configuration; `simulate` allows workloads to run in a trusted
    workspace, which they never do otherwise.
    """

    inlay_hints: bool = True
    code_lenses: bool = True
    number_hovers: bool = True
    syntax_errors: bool = True
    compiled_evidence: bool = True
    synthesised_evidence: bool = True
    simulate: bool = False
    trusted: bool = False
    device: str = ""


# What the extension for VS Code settles before it starts the server.
_OF_THE_CLIENT = frozenset({"interpreter", "path", "arguments", "trace"})


def read_preferences(given: object, before: Preferences | None = None) -> tuple[Preferences, tuple[str, ...]]:
    """What is given in the section, the rest as `before`; and a sentence for each thing that is wrong.

    The section may be given by itself or under its name. What is null counts as not given.
    """
    found = before or Preferences()
    if isinstance(given, dict) and SECTION in given:
        given = given[SECTION]
    if given is None:
        return found, ()
    if not isinstance(given, dict):
        return found, (
            f"The settings under {SECTION} are {_called(given)}, not an object; they are not used.",
        )
    names = {_camel(one.name): one.name for one in fields(Preferences)}
    problems, chosen = [], {}
    for name, value in given.items():
        if value is None or name in _OF_THE_CLIENT:
            continue
        if name not in names:
            problems.append(f"There is no setting {SECTION}.{name}.{suggestion(str(name), names)}")
        elif type(value) is not (wanted := type(getattr(found, names[name]))):
            kind = "true or false" if wanted is bool else "a text"
            problems.append(f"{SECTION}.{name} is {_called(value)}, but must be {kind}; it is not used.")
        else:
            chosen[names[name]] = value
    return replace(found, **chosen), tuple(problems)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def _called(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "an object")
