"""Options that several commands have: each is declared here, so that one name means one thing."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from types import ModuleType
from typing import TYPE_CHECKING

from advisor.model.records import SOURCES

if TYPE_CHECKING:
    from advisor.model.settings.config import Config

_Parser = argparse.ArgumentParser | argparse._ArgumentGroup


def add_device(parser: _Parser, what: str = "the GPU to judge for") -> None:
    """Declare `--device`, the GPU that numbers and advice are for."""
    parser.add_argument("--device", metavar="NAME", help=f"{what} (see `advisor devices`)")


def add_evidence(parser: _Parser) -> None:
    """Declare what a check may use and run."""
    parser.add_argument(
        "--evidence", choices=SOURCES, help="the highest source of evidence to use (default: simulated)"
    )
    add_no_run(parser)
    parser.add_argument(
        "--no-synthesis",
        action="store_true",
        help="make up no launches for kernels of which no launch is known",
    )


def add_no_run(parser: _Parser) -> None:
    """Declare `--no-run`."""
    parser.add_argument("--no-run", action="store_true", help="run none of the checked code")


def add_selection(parser: _Parser) -> None:
    """Declare which rules count."""
    names = "rule ids, categories or globs, separated by commas"
    parser.add_argument(
        "--select", type=rule_names, action="extend", metavar="RULE,...", help=f"only these: {names}"
    )
    parser.add_argument("--ignore", type=rule_names, action="extend", metavar="RULE,...", help="not these")


def selected(
    args: argparse.Namespace, config: Config
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The rules to select, to select as well, and to ignore.

    `--select` replaces the project's whole selection; `--ignore` and `--extend-select` add to it.
    """
    own = args.select is not None
    more, less = getattr(args, "extend_select", None) or (), args.ignore or ()
    return (
        tuple(args.select) if own else config.select,
        (*(() if own else config.extend_select), *more),
        (*(() if own else config.ignore), *less),
    )


def add_base(parser: _Parser) -> None:
    """Declare what the sources are compared with."""
    parser.add_argument("--base", metavar="REVISION", help="compare with the sources of a git revision")
    parser.add_argument(
        "--base-folder", metavar="FOLDER", help="compare with another folder, an earlier copy of this one"
    )


def add_simulate(parser: _Parser) -> None:
    """Declare `--simulate`."""
    parser.add_argument(
        "--simulate", action="store_true", help="use the simulated GPU even if there is a real one"
    )


def add_no_cache(parser: _Parser) -> None:
    """Declare `--no-cache`."""
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write cached results")


def add_jobs(parser: _Parser) -> None:
    """Declare `--jobs`."""
    parser.add_argument(
        "--jobs", type=_jobs, metavar="N", help="processes to use (default: as fits the machine)"
    )


def add_cluster(parser: _Parser) -> None:
    """Declare `--cluster`."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="have the work done by a cluster of dask.distributed: the address of its scheduler, or local:N "
        "for N workers on this machine",
    )


def add_format(parser: _Parser, *formats: str) -> None:
    """Declare `--format` with the names of formats, the default first."""
    default, *others = formats
    words = (
        f"{default} (default) or {others[0]}"
        if len(others) == 1
        else ", ".join([f"{default} (default)", *others])
    )
    parser.add_argument("--format", choices=formats, default=default, metavar="FORMAT", help=words)


def add_label(parser: _Parser) -> None:
    """Declare `--label`."""
    parser.add_argument("--label", default="", metavar="TEXT", help="name this run in the history")


def add_no_store(parser: _Parser) -> None:
    """Declare `--no-store`."""
    parser.add_argument("--no-store", action="store_true", help="keep nothing in the history")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Declare `-q`, unless the command has declared it or has only actions."""
    if "-q" not in parser._option_string_actions and parser._subparsers is None:
        parser.add_argument(
            "-q", "--quiet", action="store_true", help="only results: no progress, notices or counts"
        )


def add_actions(parser: argparse.ArgumentParser, package: ModuleType) -> None:
    """Declare the actions of a command, which are the modules of a package, with their arguments."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for module in pkgutil.iter_modules(package.__path__):
        action = importlib.import_module(f"{package.__name__}.{module.name}")
        subparser = actions.add_parser(
            module.name, help=action.SUMMARY, description=action.SUMMARY, allow_abbrev=False
        )
        action.add_arguments(subparser)
        add_quiet(subparser)
        subparser.set_defaults(act=action.run)


def rule_names(text: str) -> list[str]:
    """The names in a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes (1 or more)")
    return int(text)
