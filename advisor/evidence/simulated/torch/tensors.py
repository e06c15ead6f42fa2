"""Tensors that say they are on the GPU: the CPU's operators compute on their memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from advisor.evidence.simulated.torch.exchange import array_interface, from_interface, on_gpu
from advisor.evidence.simulated.torch.exchange import from_dlpack as taken
from advisor.evidence.simulated.torch.places import GPU, HOST, is_gpu, named
from advisor.evidence.simulated.torch.storages import Storages

_TYPES = {
    torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16",
    torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int", torch.int64: "Long",
    torch.bool: "Bool",
}  # fmt: skip
_TO_HOST = "Use Tensor.cpu() to copy the tensor to host memory first."
# Operators that take tensors of both sides.
_OF_BOTH_SIDES = frozenset(
    {"copy_", "__setitem__", "__getitem__", "__set__", "__get__", "set_", "to", "type", "type_as",
     "index_put_", "index_put", "set_rng_state", "is_set_to", "_has_compatible_shallow_copy_type"}
)  # fmt: skip
_in_backward = threading.local()


class GpuTensor(torch.Tensor):
    """A tensor on the simulated GPU."""

    storages: Storages

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name not in _OF_BOTH_SIDES:
            _refuse_both_sides(args, given)
        goes_to = _device_of(name, args, given)
        args, given = _without_device(name, args, given)
        with torch._C.DisableTorchFunctionSubclass():
            result = func(*args, **given)
        if name == "__set__":
            _moved(args)
        if goes_to is not None and goes_to.type == "cpu":
            return to_host(result)
        return as_gpu(result)

    @property
    def device(self) -> torch.device:
        """The simulated GPU."""
        return GPU

    @property
    def is_cuda(self) -> bool:
        """That it is there."""
        return True

    @property
    def is_cpu(self) -> bool:
        """That it is not on the host."""
        return False

    def get_device(self) -> int:
        """The number of the GPU."""
        return 0

    def is_pinned(self, *_: Any) -> bool:
        """That it is no memory of the host."""
        return False

    def cpu(self, *_: Any, **__: Any) -> Any:
        """A copy in the host's memory."""
        return to_host(self)

    def cuda(self, device: Any = None, *_: Any, **__: Any) -> Any:
        """The tensor itself."""
        named(device)
        return self

    def numpy(self, *_: Any, **__: Any) -> Any:
        """Raise PyTorch's error."""
        raise TypeError(f"can't convert cuda:0 device type tensor to numpy. {_TO_HOST}")

    __array__ = numpy

    def data_ptr(self) -> int:
        """The address of the first element, which kernels may use."""
        self.storages.show(plain(self))
        return int(plain(self).data_ptr())

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """What Numba and CuPy take."""
        self.storages.show(plain(self))
        return array_interface(plain(self))

    def __dlpack__(self, **options: Any) -> Any:
        """What `from_dlpack` of CuPy and others takes."""
        self.storages.show(plain(self))
        wanted = options.pop("dl_device", None)
        options.pop("stream", None)
        capsule = plain(self).__dlpack__(**options)
        return capsule if wanted is not None and int(wanted[0]) == 1 else on_gpu(capsule)

    def __dlpack_device__(self) -> Any:
        """That it is on the first GPU."""
        return (2, 0)

    def backward(self, *gradients: Any, **options: Any) -> None:
        """Compute gradients; the program's own backward functions run in it, with tensors of the GPU."""
        torch.autograd.backward(self, *gradients, **options)

    def type(self, dtype: Any = None, *_: Any, **__: Any) -> Any:
        """The name of the type, or the tensor with elements of another one."""
        if dtype is None:
            return f"torch.cuda.{_TYPES.get(self.dtype, 'Float')}Tensor"
        if isinstance(dtype, torch.dtype):
            return self.to(dtype)
        of_gpu, name = str(dtype).startswith("torch.cuda."), str(dtype).rpartition(".")[2]
        word = name.removesuffix("Tensor")
        wanted = next((kind for kind, known in _TYPES.items() if known == word), self.dtype)
        return self.to(wanted) if of_gpu else self.cpu().to(wanted)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """As PyTorch writes it."""
        with torch._C.DisableTorchFunctionSubclass():
            text = repr(self.detach().as_subclass(torch.Tensor))
        ending = ", requires_grad=True)" if self.requires_grad else ")"
        return f"{text[:-1]}, device='cuda:0'{ending}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy in memory of its own."""
        if id(self) in memo:
            return memo[id(self)]
        with torch.no_grad():
            copy = gpu_tensor(plain(self).detach().clone(), type(self))
        copy.requires_grad_(self.requires_grad)
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickled as what it is read back to."""
        return _read_back, (plain(self).detach(), self.requires_grad, isinstance(self, torch.nn.Parameter))


class GpuParameter(GpuTensor, torch.nn.Parameter):
    """A parameter of a module on the simulated GPU."""

    __torch_function__ = GpuTensor.__torch_function__


class Placing(TorchFunctionMode):
    """Lets calls that name the GPU give tensors of it."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "cuda":
            return _cuda(*args, **given)
        if name == "pin_memory":
            return args[0]
        goes_to = _device_of(name, args, given)
        if goes_to is None or goes_to.type != "cuda":
            result = func(*args, **given)
            if name == "__set__":
                _moved(args)
            return result
        if name == "is_pinned":
            return False
        needs_grad = bool(given.pop("requires_grad", False))
        if name == "to" and isinstance(args[0], GpuTensor) and not given.get("copy"):
            plain_args, given = _without_device(name, args, given)
            return func(*plain_args, **given) if len(plain_args) > 1 or given else args[0]
        args, given = _without_device(name, args, given)
        if name in ("as_tensor", "tensor", "asarray") and hasattr(args[0], "__cuda_array_interface__"):
            args = (from_interface(args[0]), *args[1:])
        result = func(*args, **given)
        moved = _each(result, lambda one: gpu_tensor(one) if type(one) in _PLAIN else one)
        return moved.requires_grad_(True) if needs_grad else moved


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def gpu_tensor(tensor: torch.Tensor, kind: type[GpuTensor] = GpuTensor) -> Any:
    """A tensor's copy on the GPU; where it has a gradient the copy hands it on."""
    with torch._C.DisableTorchFunctionSubclass():
        if tensor.requires_grad and torch.is_grad_enabled():
            return tensor.clone().as_subclass(kind)
        return GpuTensor.storages.on_gpu(tensor).as_subclass(kind)


def as_gpu(result: Any) -> Any:
    """The results of an operator on tensors of the GPU: the tensors in it are there too."""
    return _each(result, lambda one: _as_gpu(one) if type(one) in _PLAIN else one)


def _as_gpu(tensor: torch.Tensor) -> Any:
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(GpuTensor)


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The same tensor as one of the host."""
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(torch.Tensor) if isinstance(tensor, GpuTensor) else tensor


def to_host(result: Any) -> Any:
    """The tensors of a result, copied to the host's memory."""

    def copied(one: torch.Tensor) -> torch.Tensor:
        with torch._C.DisableTorchFunctionSubclass():
            return one.as_subclass(torch.Tensor).clone()

    return _each(result, copied)


def _each(result: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    if isinstance(result, torch.Tensor):
        return change(result)
    if type(result) in (tuple, list):
        return type(result)(_each(one, change) for one in result)
    if isinstance(result, tuple):
        changed = [_each(one, change) for one in result]
        return type(result)(*changed) if hasattr(result, "_fields") else type(result)(changed)
    return result


def _device_of(name: str, args: Sequence[Any], given: Mapping[str, Any]) -> torch.device | None:
    """The device that a call names, None where it names none."""
    if "device" in given:
        return named(given["device"])
    if name == "to" and len(args) > 1:
        other = args[1]
        if isinstance(other, torch.Tensor):
            return GPU if isinstance(other, GpuTensor) else HOST
        return named(other)
    return next((named(one) for one in args[1:] if isinstance(one, torch.device)), None)


def _without_device(
    name: str, args: Sequence[Any], given: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments with the host in the place of the GPU."""
    if is_gpu(given.get("device")):
        given = {**given, "device": HOST}
    given = {key: value for key, value in given.items() if key != "pin_memory"}
    kinds = str | torch.device | int if name == "to" else torch.device
    changed = [
        HOST if number and isinstance(one, kinds) and is_gpu(one) else one for number, one in enumerate(args)
    ]
    return tuple(changed), given


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for one in values:
        if isinstance(one, torch.Tensor):
            yield one
        elif isinstance(one, list | tuple):
            yield from _tensors(one)


def _refuse_both_sides(args: Sequence[Any], given: Mapping[str, Any]) -> None:
    """Raise what PyTorch raises for tensors of the host beside those of the GPU; numbers may be there."""
    if getattr(_in_backward, "depth", 0):
        return
    for one in _tensors([*args, *given.values()]):
        with torch._C.DisableTorchFunctionSubclass():
            of_host = not isinstance(one, GpuTensor) and one.dim() > 0
        if of_host:
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
                "cpu!"
            )


@contextmanager
def backward() -> Iterator[None]:
    """Within it gradients, which PyTorch hands over as plain tensors, count as the GPU's."""
    _in_backward.depth = getattr(_in_backward, "depth", 0) + 1
    try:
        yield
    finally:
        _in_backward.depth -= 1


def _moved(args: Sequence[Any]) -> None:
    """Let a tensor whose `data` were set be where these are, as `module.to("cuda")` wants it."""
    tensor, value = args[0], args[1] if len(args) > 1 else None
    if not isinstance(value, torch.Tensor) or isinstance(tensor, GpuTensor) is isinstance(value, GpuTensor):
        return
    is_parameter = isinstance(tensor, torch.nn.Parameter)
    if isinstance(value, GpuTensor):
        tensor.__class__ = GpuParameter if is_parameter else GpuTensor
    else:
        tensor.__class__ = torch.nn.Parameter if is_parameter else torch.Tensor


def _cuda(tensor: torch.Tensor, device: Any = None, *_: Any, **__: Any) -> Any:
    named(device)
    return gpu_tensor(tensor)


def from_dlpack(value: Any, **_: Any) -> Any:
    """What `torch.from_dlpack` gives."""
    if isinstance(value, torch.Tensor):
        return value
    tensor, is_gpu = taken(value)
    return _as_gpu(tensor) if is_gpu else tensor


def _read_back(tensor: torch.Tensor, requires_grad: bool, is_parameter: bool) -> Any:
    made = gpu_tensor(tensor, GpuParameter if is_parameter else GpuTensor)
    return made.requires_grad_(requires_grad)
