"""The tools that read: check, explain, what_if, rules. They run code only when asked to, with consent."""

from __future__ import annotations

from typing import Annotated

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, Elicit, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from advisor.cli.mcp_server.answers.changed import WhatIfAnswer, what_if_answer
from advisor.cli.mcp_server.answers.checked import CheckAnswer, check_answer
from advisor.cli.mcp_server.answers.explained import ExplainAnswer, kernel_answer
from advisor.cli.mcp_server.answers.ruled import RulesAnswer, list_answer, why_answer
from advisor.cli.mcp_server.consent import DECLINED, Consent
from advisor.cli.mcp_server.edited_copy import ProposedEdit, edited_copy, edited_texts
from advisor.cli.mcp_server.serving import Serving, for_device, named, running, selecting, serving, telling

Paths = Annotated[list[str], Field(description="Files and folders of the workspace; none for all of it")]
Device = Annotated[str, Field(description="The GPU to judge for, as a100-80gb; empty for the project's own")]
RunCode = Annotated[
    bool,
    Field(description="Run the `workload` functions of the files for exact counts; the user must consent"),
]
Most = Annotated[int, Field(ge=1, le=200, description="Answer with so many entries at most")]
Edits = Annotated[
    list[ProposedEdit],
    Field(description="Texts to replace: path, text, and either `old` (there once) or `start` and `end`"),
]
_WORKLOADS = "run the functions `workload` of"


async def consent_to_workloads(
    context: Context, paths: list[str], run_code: bool
) -> Consent | Elicit[Consent]:
    """The consent to run workloads of some paths, where that is asked for."""
    if not run_code:
        return Consent()
    return serving(context).consent.question(context, _WORKLOADS, paths)


async def consent_to_try(
    context: Context, edits: list[ProposedEdit], run_code: bool
) -> Consent | Elicit[Consent]:
    """The consent to run the workloads of edited files, where that is asked for."""
    if not run_code:
        return Consent()
    paths = list(dict.fromkeys(one.path for one in edits))
    return serving(context).consent.question(context, _WORKLOADS, paths, edits)


async def consent_to_explain(context: Context, name: str, run_code: bool) -> Consent | Elicit[Consent]:
    """The consent to run the workloads beside a kernel, where that is asked for."""
    return await consent_to_workloads(context, [name.partition("::")[0]], run_code)


def consented(here: Serving, consent: ElicitationResult[Consent], run_code: bool = True) -> None:
    """Raise ToolError where code is to be run and the user did not consent."""
    if not run_code:
        return
    if not isinstance(consent, AcceptedElicitation):
        raise ToolError(DECLINED)
    here.consent.given(consent.data)


async def check(
    context: Context,
    consent: Annotated[ElicitationResult[Consent], Resolve(consent_to_workloads)],
    paths: Paths = [],  # noqa: B006 - a default of the tool's schema, never changed
    select: Annotated[list[str], Field(description="Only these rules: ids, categories, globs")] = [],  # noqa: B006
    device: Device = "",
    run_code: RunCode = False,
    most: Most = 10,
) -> CheckAnswer:
    """Find what is slow or wrong in GPU kernels, with places, numbers, gains and fixes as edits."""
    here = serving(context)
    consented(here, consent, run_code)
    with telling():
        found = here.workspace.paths(paths)
        options = [*for_device(device), *selecting(select), *running(run_code)]
        report = await here.json(["check", *options, *found])
        return check_answer(report, most, here.workspace.text)


async def explain(
    context: Context,
    consent: Annotated[ElicitationResult[Consent], Resolve(consent_to_explain)],
    name: Annotated[str, Field(description="PATH::KERNEL, a rule's id, or a fix's id")],
    device: Device = "",
    run_code: RunCode = False,
) -> ExplainAnswer:
    """Say what a kernel waits for and what to change first, with edits; or what a rule or fix means."""
    here = serving(context)
    consented(here, consent, run_code)
    with telling():
        if "::" not in name and not name.endswith(".py"):
            page = await here.run(["explain", "--format=markdown", named(name)])
            return ExplainAnswer(name, page=page.text())
        kernel = here.workspace.kernel(name)
        found = await here.json(["explain", *for_device(device), *running(run_code), kernel])
        return kernel_answer(found, here.workspace.text)


async def what_if(
    context: Context,
    consent: Annotated[ElicitationResult[Consent], Resolve(consent_to_try)],
    edits: Edits,
    paths: Annotated[list[str], Field(description="What to compare; none for the edited files")] = [],  # noqa: B006
    device: Device = "",
    run_code: RunCode = False,
) -> WhatIfAnswer:
    """Predict what edits would change: findings new or gone, and times of kernels. Nothing is written."""
    here = serving(context)
    consented(here, consent, run_code)
    with telling():
        texts = edited_texts(here.workspace, edits)
        found = here.workspace.paths(paths) if paths else sorted(texts)
        with edited_copy(here.workspace, texts) as copy:
            base = f"--base-folder={here.workspace.root}"
            arguments = ["diff", base, *for_device(device), *running(run_code), *found]
            return what_if_answer(await here.json(arguments, copy))


async def rules(
    context: Context,
    words: Annotated[str, Field(description="Words of id, title or category; empty for all rules")] = "",
    rule: Annotated[str, Field(description="A rule's id, for its page")] = "",
    kernel: Annotated[str, Field(description="PATH::KERNEL: why the rule speaks of it or not")] = "",
    most: Most = 40,
) -> RulesAnswer:
    """List rules, show the page of one, or say why one fires on a kernel or not, and what would change it."""
    here = serving(context)
    with telling():
        if kernel and not rule:
            raise ToolError("`kernel` goes with `rule`: whose verdict on the kernel is asked for.")
        if kernel:
            place = here.workspace.kernel(kernel)
            return why_answer(await here.json(["rules", "why", "--no-run", named(rule), place]), most)
        if rule:
            return RulesAnswer(page=(await here.run(["explain", "--format=markdown", named(rule)])).text())
        return list_answer((await here.json(["rules", "list"]))["rules"], words, most)
