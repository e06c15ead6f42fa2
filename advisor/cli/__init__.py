"""The command line. A module of `commands` or `reference` is a command: SUMMARY, `add_arguments`, `run`."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
from collections.abc import Sequence
from typing import NoReturn, Protocol, cast

from advisor import __version__
from advisor.cli import commands, reference
from advisor.cli.options import add_quiet
from advisor.model.errors import UsageError
from advisor.model.settings.selectors import suggestion


class Command(Protocol):
    """What a command module offers; `run` returns the exit status."""

    SUMMARY: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """The exit status after doing the work."""


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose errors are UsageErrors of one sentence, with a suggestion."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message and, for a mistyped choice, the nearest one."""
        hint = ""
        if found := re.search(r"invalid choice: '?([^']+?)'? \(choose from (.+)\)", message):
            hint = suggestion(found[1], re.findall(r"[\w.-]+", found[2]))
            message = message.rstrip(".") + "."
        raise UsageError(f"{message}{hint}")


def command_names() -> list[str]:
    """The names of all commands: the modules of both packages."""
    return sorted(_packages())


def load_command(name: str) -> Command:
    """The command module called `name`."""
    return cast(Command, importlib.import_module(f"{_packages()[name]}.{name}"))


def _packages() -> dict[str, str]:
    """The package of each command."""
    packages = (commands, reference)
    return {
        module.name: package.__name__
        for package in packages
        for module in pkgutil.iter_modules(package.__path__)
    }


def build_parser(names: Sequence[str]) -> CommandParser:
    """The parser of the command line, with the commands in `names` and their arguments."""
    parser = CommandParser(
        prog="advisor",
        description="Advice for GPU kernels written in Python, at the line.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"advisor {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for name in names:
        command = load_command(name)
        subparser = commands.add_parser(
            name, help=command.SUMMARY, description=command.SUMMARY, allow_abbrev=False
        )
        command.add_arguments(subparser)
        add_quiet(subparser)
        subparser.set_defaults(run=command.run, parser=subparser)
    return parser


def run_command(argv: Sequence[str]) -> int:
    """The exit status of the command that `argv` names; raises AdvisorError for what the user must know."""
    if not argv:
        # Nothing was asked for, so nothing was done: the help, and a status that a script notices.
        build_parser(command_names()).print_help()
        return 2
    try:
        args, unknown = build_parser(_named(argv)).parse_known_args(argv)
    except SystemExit as end:  # --help and --version end the program inside argparse
        return int(end.code or 0)
    if unknown:
        options = list(args.parser._option_string_actions)
        raise UsageError(f"unknown argument `{unknown[0]}`.{suggestion(unknown[0], options)}")
    return int(args.run(args))


def _named(argv: Sequence[str]) -> Sequence[str]:
    """The commands that must be loaded to understand `argv`: the one it names, or all."""
    names = command_names()
    if argv and argv[0] in names:
        return argv[:1]
    return [] if list(argv[:1]) == ["--version"] else names
