"""Tensors of the GPU in files of `torch.save`, which hold what a GPU's tensors leave there.

A file says of each storage where it lay, `cuda:0` here as on a GPU, and nothing of the simulated one: it can
be loaded anywhere, and files that were written on a GPU can be loaded here. `map_location` decides as always.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch

from advisor.evidence.simulated.torch.places import GPU, named
from advisor.evidence.simulated.torch.tensors import GpuParameter, GpuTensor, as_gpu, plain

# Before PyTorch's own, of which the first, that of the CPU, has 10.
_PRIORITY = 5
_state = threading.local()


def save_and_load() -> None:
    """Let `torch.save` and `torch.load` know the tensors of this process that are on the GPU."""
    serialization: Any = torch.serialization
    serialization.register_package(_PRIORITY, _location_of, _placed)
    torch.save = _within(torch.save, "saved")
    torch.load = _within(torch.load, "loaded")
    rebuild: Any = torch._utils._rebuild_tensor_v2
    rebuild_parameter: Any = torch._utils._rebuild_parameter

    @functools.wraps(rebuild)
    def rebuilt(storage: Any, *rest: Any, **more: Any) -> Any:
        made = rebuild(storage, *rest, **more)
        return as_gpu(made) if _identity(storage) in _storages("loaded") else made

    @functools.wraps(rebuild_parameter)
    def rebuilt_parameter(data: Any, requires_grad: bool, hooks: Any) -> Any:
        if not isinstance(data, GpuTensor):
            return rebuild_parameter(data, requires_grad, hooks)
        return plain(data).detach().as_subclass(GpuParameter).requires_grad_(requires_grad)

    # Where files and the list of what they may call have these names.
    torch._utils._rebuild_tensor_v2 = rebuilt
    torch._utils._rebuild_parameter = rebuilt_parameter
    pickled = GpuTensor.__reduce_ex__

    @functools.wraps(pickled)
    def reduced(self: GpuTensor, protocol: Any) -> Any:
        return _reduced(self, protocol) if hasattr(_state, "saved") else pickled(self, protocol)

    GpuTensor.__reduce_ex__ = reduced  # type: ignore[method-assign]


def _within(function: Any, name: str) -> Callable[..., Any]:
    """The same function, with a set of the storages on the GPU while it runs."""

    @functools.wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        before = getattr(_state, name, None)
        setattr(_state, name, set())
        try:
            return function(*args, **given)
        finally:
            if before is None:
                delattr(_state, name)
            else:
                setattr(_state, name, before)

    return run


def _storages(name: str) -> set[int]:
    found: set[int] = getattr(_state, name, set())
    return found


def _identity(storage: Any) -> int:
    """The same number for all objects that stand for one storage."""
    return int(getattr(storage, "_untyped_storage", storage)._cdata)


def _reduced(tensor: GpuTensor, protocol: Any) -> Any:
    """What PyTorch writes of a tensor of its own class, of which it is noted that it was on the GPU."""
    if isinstance(tensor, torch.nn.Parameter):
        data = as_gpu(plain(tensor).detach().as_subclass(torch.Tensor))
        return torch._utils._rebuild_parameter, (data, tensor.requires_grad, OrderedDict())
    own = plain(tensor).detach()
    _storages("saved").add(_identity(own.untyped_storage()))
    function, given = own.requires_grad_(tensor.requires_grad).__reduce_ex__(protocol)
    return function, given


def _location_of(storage: Any) -> str | None:
    """Where a storage lies as a file says it; None for one of the host."""
    return str(GPU) if _identity(storage) in _storages("saved") else None


def _placed(storage: Any, location: str) -> Any:
    """A storage that was read for the GPU; None for one that belongs elsewhere."""
    if not location.startswith("cuda"):
        return None
    named(location)
    _storages("loaded").add(_identity(storage))
    return storage
