"""The tools that run code of the workspace: simulate and verify."""

from __future__ import annotations

from typing import Annotated

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, Elicit, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from advisor.cli.mcp_server.answers.changed import VerifyAnswer, verify_answer
from advisor.cli.mcp_server.answers.simulated import SimulateAnswer, program_answer, workloads_answer
from advisor.cli.mcp_server.consent import Consent
from advisor.cli.mcp_server.edited_copy import ProposedEdit, edited_copy, edited_texts
from advisor.cli.mcp_server.reading_tools import Device, Edits, Paths, consented
from advisor.cli.mcp_server.serving import for_device, selecting, serving, telling

# One run of each workload: predicted times do not vary.
_ONCE = ("--simulate", "--no-store", "--no-counters", "--iterations=1", "--warmup=0", "--quiet")


async def consent_to_simulate(
    context: Context, paths: list[str], program: bool, arguments: list[str]
) -> Consent | Elicit[Consent]:
    """The consent to run workloads, or a program with its arguments."""
    what = f"run on the simulated GPU the {'program' if program else 'functions `workload` of'}"
    named = [" ".join([*paths, *arguments])] if program else paths
    return serving(context).consent.question(context, what, named)


async def consent_to_verify(
    context: Context, paths: list[str], edits: list[ProposedEdit]
) -> Consent | Elicit[Consent]:
    """The consent to run what launches the kernels of some paths."""
    what = "run, in copies of the project, the functions `workload` and the recorded programs of"
    return serving(context).consent.question(context, what, paths, edits)


async def simulate(
    context: Context,
    consent: Annotated[ElicitationResult[Consent], Resolve(consent_to_simulate)],
    paths: Paths,
    program: Annotated[
        bool, Field(description="The one path is a program to run, not a file of workloads")
    ] = False,
    arguments: Annotated[list[str], Field(description="The program's arguments")] = [],  # noqa: B006
    device: Device = "",
) -> SimulateAnswer:
    """Run workloads or a program on the simulated GPU: launches, predicted times, what was counted."""
    here = serving(context)
    consented(here, consent)
    with telling():
        found = here.workspace.paths(paths)
        if program:
            if len(found) != 1:
                raise ToolError("a program is one Python file of the workspace.")
            ended = await here.run(["run", *for_device(device), "--simulate", found[0], *arguments])
            return program_answer(device or "the project's own", ended.status, ended.out, ended.err)
        if arguments:
            raise ToolError("workloads take no arguments; a program that does is run with `program`.")
        profile = await here.json(["profile", *_ONCE, *for_device(device), *found])
        return workloads_answer(profile, await here.units_of_metrics())


async def verify(
    context: Context,
    consent: Annotated[ElicitationResult[Consent], Resolve(consent_to_verify)],
    paths: Paths,
    edits: Edits = [],  # noqa: B006 - a default of the tool's schema, never changed
    base: Annotated[str, Field(description="A git revision to compare the files with, as HEAD")] = "",
    select: Annotated[list[str], Field(description="Only fixes of these rules")] = [],  # noqa: B006
    device: Device = "",
) -> VerifyAnswer:
    """Prove by running before and after that outputs stay and times improve.

    With `edits` of those, before they are written; with `base` of what changed in the files since a commit;
    else of each fix that is offered for them. Nothing of the project is changed.
    """
    here = serving(context)
    consented(here, consent)
    with telling():
        if edits and base:
            raise ToolError(
                "`edits` are compared with the files, `base` compares these with a commit; give one."
            )
        found = here.workspace.paths(paths)
        options = ["verify", "--simulate", *for_device(device)]
        if base:
            return verify_answer(await here.json([*options, f"--base={base}", *found]))
        if not edits:
            return verify_answer(await here.json([*options, *selecting(select), *found]))
        texts = edited_texts(here.workspace, edits)
        with edited_copy(here.workspace, texts) as copy:
            folder = f"--base-folder={here.workspace.root}"
            return verify_answer(await here.json([*options, folder, *found], copy))
