"""Where a value of host code lives, and the names of library functions that decide it."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Placed:
    """A value of host code: which library's, on the GPU or in host memory.

    `kind` is array, module (a torch.nn.Module), loader (a DataLoader), generator (of random numbers) or
    number; `pinned` tells of host memory whether it is page-locked, None where that is not known. `batch` is
    an item of a loader.
    """

    library: str
    where: str
    kind: str = "array"
    pinned: bool | None = None
    batch: bool = False
    shared: bool = False

    @property
    def on_gpu(self) -> bool:
        """Whether it is an array in the GPU's memory."""
        return self.where == "gpu" and self.kind == "array"

    def moved(self, where: str) -> Placed:
        """The same in another memory, not page-locked."""
        return replace(self, where=where, pinned=False if where == "host" else None, batch=False)


TORCH_CREATORS = frozenset({
    "zeros", "ones", "empty", "full", "rand", "randn", "randint", "arange", "linspace", "logspace", "eye",
    "tensor", "randperm", "normal",
})  # fmt: skip
TORCH_LIKE = frozenset(
    {"zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "clone"}
)
# A random tensor of the GPU's generator holds other numbers than one of the host's.
RANDOM_CREATORS = frozenset({"rand", "randn", "randint", "randperm", "normal"})
CUPY_CREATORS = frozenset({
    "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "ndarray",
})  # fmt: skip
# Questions about a tensor or array that its data are not needed for.
ASKED_OF_SHAPE = frozenset({
    "size", "dim", "numel", "nelement", "element_size", "stride", "is_contiguous", "data_ptr", "get_device",
    "type", "ndimension", "storage", "untyped_storage", "register_hook", "backward", "share_memory_",
    "is_floating_point", "storage_offset", "named_parameters", "parameters", "state_dict",
})  # fmt: skip
ATTRIBUTES_OF_SHAPE = frozenset({
    "shape", "dtype", "device", "ndim", "size", "nbytes", "itemsize", "requires_grad", "is_cuda", "grad_fn",
    "layout", "is_leaf", "strides", "flags", "names", "is_sparse",
})  # fmt: skip
READS = frozenset({"item", "tolist"})
# Functions of torch and cupy that give no array.
NO_ARRAYS = frozenset({
    "is_tensor", "numel", "device", "dtype", "manual_seed", "save", "load", "no_grad", "set_grad_enabled",
    "Generator", "Size", "get_default_dtype", "finfo", "iinfo", "is_available", "float32", "float64", "int32",
    "int64", "uint8", "float16", "int8", "complex64", "complex128", "bool_", "issubdtype", "result_type",
    "isscalar", "shape", "ndim", "allclose", "equal", "array_equal", "is_grad_enabled", "RawKernel",
    "RawModule", "ElementwiseKernel", "ReductionKernel", "get_array_module", "errstate", "random",
    "broadcast_shapes", "can_cast", "get_default_memory_pool", "get_default_pinned_memory_pool",
    "show_config", "may_share_memory", "shares_memory", "common_type", "promote_types", "min_scalar_type",
    "typename",
    "iscomplexobj", "isrealobj", "isfortran", "set_printoptions", "array_repr", "array_str", "size", "fuse",
    "memoize", "clear_memo", "vectorize", "poly1d", "seed", "get_random_state", "set_random_state",
    "RandomState", "default_rng", "is_floating_point", "is_complex", "typecodes",
    "savez", "get_include", "compile", "jit", "broadcast_tensors", "is_inference",
    "set_num_threads", "get_rng_state", "initial_seed",
})  # fmt: skip
LIKE_A_MODULE = frozenset({
    "eval", "train", "half", "float", "double", "bfloat16", "requires_grad_", "apply", "share_memory",
})  # fmt: skip
WRAPPERS_OF_MODULES = frozenset({
    "compile", "script", "DataParallel", "DistributedDataParallel", "FullyShardedDataParallel", "DDP",
})  # fmt: skip
