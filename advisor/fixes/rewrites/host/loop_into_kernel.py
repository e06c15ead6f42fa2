"""Does in one launch what a host loop does in many: the loop goes into the kernel."""

# /// fix
# title = "Do the loop inside the kernel"
# phase = 1
# safety = "needs review"
# rules = ["launch-in-host-loop"]
# needs_kernel = true
# condition = """
# no two arrays of a launch overlap, indices stay inside the arrays, and all launches of the kernel are seen \
# here (another one must be changed as well). Sums of floats by atomics may differ in the last bits, as may \
# a product that the compiler now joins with an addition of the next step"""
# ///

from __future__ import annotations

import ast
import keyword

from advisor.fixes.place import Place
from advisor.fixes.support.host.same_memory import may_overlap
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.counted_launches import CountedLaunch, counted_launch, single_launch
from advisor.fixes.support.launches.launch_axes import launched_by_name, unseen_launches
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.launches.launch_sizes import extents
from advisor.fixes.support.values.own_elements import stored_arrays, stores_own_elements
from advisor.fixes.support.values.repeated_part import in_loop, repeated_part
from advisor.model.findings import Edit
from advisor.program.syntax.calls import last_name

# What is asked of a kernel without launching it here.
_CONFIGURED = ("forall", "configure", "specialize", "overloads", "py_func")


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of all its launches; None where a thread may need in one step what another
    one left in the step before.
    """
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites:
        return None
    body = KernelBody(*kernel)
    launches = [one for one in map(counted_launch, sites) if one is not None]
    if len(launches) != len(sites) or not _are_all(body, sites) or not _is_open(body):
        return None
    counter = _parameter(body, launches)
    if counter is None or not _threads_stay_apart(body, launches, counter.arg):
        return None
    inner = _inner_edits(body, launches, counter)
    if inner is None:
        return None
    found = place.in_file(body.module, inner)
    for launch in launches:
        outer = single_launch(launch)
        if outer is None:
            return None
        found += place.in_file(launch.site.module, outer)
    return sorted(set(found))


def _are_all(body: KernelBody, sites: list[LaunchSite]) -> bool:
    """Whether no other launch of the kernel is to be seen, and each of these is of this one."""
    name = body.function.name
    for module in (body.module, *(site.module for site in sites)):
        if unseen_launches(module, body.function, sites):
            return False
        for node in module.nodes(ast.Attribute):
            if node.attr in _CONFIGURED and last_name(node.value) == name:
                return False
    return all(launched_by_name(site, name) for site in sites)


def _is_open(body: KernelBody) -> bool:
    """Whether the kernel has one decorator `cuda.jit` that says nothing of its parameters, and is no function
    that other code calls.
    """
    found = body.function.decorator_list
    if len(found) != 1 or not body.statements or body.function.name in body.module.called_names:
        return False
    decorator = found[0]
    if not isinstance(decorator, ast.Call):
        return cuda_attribute(body.module, decorator) == "jit"
    named = not decorator.args and all(one.arg not in (None, "signature") for one in decorator.keywords)
    return cuda_attribute(body.module, decorator.func) == "jit" and named


def _parameter(body: KernelBody, launches: list[CountedLaunch]) -> ast.arg | None:
    """The parameter that gets the counter, where all launches pass it alike."""
    given = body.function.args
    plain = (*given.posonlyargs, *given.args)
    several = given.vararg is not None or given.kwarg is not None or given.kwonlyargs or given.defaults
    forms = {(one.position, len(one.bounds), len(one.site.arguments or ())) for one in launches}
    if several or len(forms) != 1:
        return None
    position, _, count = forms.pop()
    return plain[position] if count == len(plain) and plain[position].annotation is None else None


def _threads_stay_apart(body: KernelBody, launches: list[CountedLaunch], step: str) -> bool:
    """Whether each thread only touches elements of its own in the arrays that the kernel stores to."""
    arrays = stored_arrays(body, (step,))
    if arrays is None:
        return False
    for launch in launches:
        several = extents(launch.site)
        if several is None or not stores_own_elements(body, arrays, several):
            return False
        if any(may_overlap(launch.site, body.parameters.index(one)) for one in arrays):
            return False
    return True


def _inner_edits(body: KernelBody, launches: list[CountedLaunch], counter: ast.arg) -> list[Edit] | None:
    """The edits of the parameter, the loop, and what stands in it."""
    step = counter.arg
    part = repeated_part(body, step)
    if part is None:
        return None
    names = body.free_names(*_bound_names(launches, step))
    inside = in_loop(body, part, f"for {step} in range({', '.join(names)}):")
    if inside is None:
        return None
    return [body.module.replaced(counter, ", ".join(names)), *inside]


def _bound_names(launches: list[CountedLaunch], step: str) -> list[str]:
    """What the bounds are called in the kernel: the count as in the host code, where that names it."""
    count = len(launches[0].bounds)
    if count > 1:
        return [f"{step}_{word}" for word in ("start", "stop", "stride")[:count]]
    written = {launch.site.module.code_of(launch.bounds[0]) for launch in launches}
    name = written.pop() if len(written) == 1 else ""
    plain = name.isidentifier() and not keyword.iskeyword(name) and not name.isupper()
    return [name if plain else f"{step}_count"]
