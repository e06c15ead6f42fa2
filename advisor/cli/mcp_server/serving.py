"""What all tools of one server share: the workspace, the commands with their limits, the consent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from advisor.cli.mcp_server.commands import Commands, Finished
from advisor.cli.mcp_server.consent import ConsentToRun
from advisor.cli.mcp_server.workspace import Workspace
from advisor.model.errors import AdvisorError, UsageError

_FORMAT = ("--format", "json")


@dataclass
class Serving:
    """The state of a server; `units` are those of metrics by name, once they were asked for."""

    workspace: Workspace
    commands: Commands
    consent: ConsentToRun
    units: dict[str, str] = field(default_factory=dict)

    async def run(self, arguments: Sequence[str], folder: Path | None = None) -> Finished:
        """What a command leaves, in the workspace unless another folder is given."""
        return await self.commands.run(arguments, folder or self.workspace.root)

    async def json(self, arguments: Sequence[str], folder: Path | None = None) -> Any:
        """What a command writes as JSON."""
        return (await self.run([*arguments, *_FORMAT], folder)).content()

    async def units_of_metrics(self) -> dict[str, str]:
        """The units of all metrics of kernels."""
        if not self.units:
            listed = await self.json(["metrics", "kernel"])
            self.units = {one["name"]: one["unit"] for one in listed["metrics"]}
        return self.units


def serving(context: Context) -> Serving:
    """The state of the server that a call came to."""
    return cast(Serving, context.request_context.lifespan_context)


@contextmanager
def telling() -> Iterator[None]:
    """What the caller must know becomes its answer; any other failure goes to the server's log alone."""
    try:
        yield
    except AdvisorError as error:
        raise ToolError(str(error)) from error


def for_device(device: str) -> list[str]:
    """The arguments that name a device, none for that of the configuration."""
    return [f"--device={device}"] if device else []


def selecting(rules: Sequence[str]) -> list[str]:
    """The arguments that name rules, none for those of the configuration."""
    return [f"--select={','.join(rules)}"] if rules else []


def running(run_code: bool) -> list[str]:
    """The argument that keeps a command from running code of the workspace, where it must not."""
    return [] if run_code else ["--no-run"]


def named(rule: str) -> str:
    """The id of a rule or fix as an argument. Raises UsageError for what would be taken for an option."""
    if rule.startswith("-"):
        raise UsageError(f"there is no rule `{rule}`.")
    return rule
