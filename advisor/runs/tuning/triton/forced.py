"""Holds one Triton kernel of a process to one configuration, whatever its tuner or its launches say.

It acts on the functions of Triton that a launch passes through, so that it holds for all launches, and the
grid that is worked out from the configuration follows.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from advisor.model.errors import AdvisorError

# What a launch may choose beside the kernel's parameters, with Triton's defaults.
OPTIONS: Mapping[str, int | None] = {"num_warps": 4, "num_stages": 3, "maxnreg": None}
_PLAIN = (bool, int, float, str, type(None))


class ForcedConfiguration:
    """A configuration for the kernel called `kernel` in one of the `files`, the same one by several names.

    `chosen` is one of those of its tuner, or of the list called `listed` beside it, as `seen` describes them;
    the first one without a choice. `values` are put in the place of what the launch gives; `asked` names what
    is to be told of launches.
    """

    def __init__(
        self,
        files: Sequence[str],
        kernel: str,
        listed: str = "",
        chosen: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        asked: Sequence[str] = (),
    ) -> None:
        self._files = {Path(one).resolve() for one in files}
        self._kernel, self._listed = kernel, listed
        self._chosen, self._values, self._asked = chosen, dict(values or {}), asked
        self._configurations: list[dict[str, Any]] = []
        self._launched: dict[str, Any] = {}
        self._in_tuner = False

    def seen(self) -> dict[str, Any]:
        """The configurations that there are to choose from, and what the latest launch was given."""
        return {"configurations": self._configurations, "launched": self._launched}

    def install(self) -> None:
        """Let launches of this process come here first."""
        tuner: Any = importlib.import_module("triton.runtime.autotuner").Autotuner
        function: Any = importlib.import_module("triton.runtime.jit").JITFunction
        tuner.run = self._before(tuner.run, self._tuned)
        function.run = self._before(function.run, self._launch)

    def _before(self, original: Any, instead: Any) -> Any:
        @functools.wraps(original)
        def run(launched: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._is_own(_python_function(launched)):
                return original(launched, *args, **kwargs)
            return instead(functools.partial(original, launched), launched, args, kwargs)

        return run

    def _is_own(self, function: Any) -> bool:
        code = getattr(function, "__code__", None)
        if code is None or function.__qualname__.replace(".<locals>", "") != self._kernel:
            return False
        return Path(code.co_filename).resolve() in self._files

    def _tuned(self, original: Any, tuner: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A launch by a tuner, which gets one configuration to choose from."""
        if self._listed:
            known = self._list_beside(_python_function(tuner))
        else:
            tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
            known = list(tuner.prune_configs(kwargs))
        every = tuner.configs
        tuner.configs, self._in_tuner = [self._choice(known)], True
        try:
            return original(*args, **kwargs)
        finally:
            tuner.configs, self._in_tuner = every, False

    def _launch(self, original: Any, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A launch of the function itself, with the forced values in the place of its own."""
        values = dict(self._values)
        if self._listed and not self._in_tuner:
            config = self._choice(self._list_beside(function.fn))
            values = {**config.all_kwargs(), **values}
        names = function.arg_names[: len(args)]
        given = [values.pop(name, value) for name, value in zip(names, args, strict=False)]
        given += args[len(names) :]
        options = {**kwargs, **values}
        self._note({**dict(zip(names, given, strict=False)), **options}, function.fn)
        return original(*given, **options)

    def _choice(self, known: Sequence[Any]) -> Any:
        described = [_described(one) for one in known]
        self._configurations = self._configurations or described
        if self._chosen is None:
            return known[0]
        for one, values in zip(known, described, strict=True):
            if values == self._chosen:
                return one
        raise AdvisorError(
            "the kernel's pruning of configurations leaves this one out for one of its launches"
        )

    def _list_beside(self, function: Any) -> list[Any]:
        found = function.__globals__.get(self._listed)
        configs = list(found) if isinstance(found, list | tuple) else []
        if not configs or not all(hasattr(one, "all_kwargs") for one in configs):
            raise AdvisorError(f"{self._listed} beside {self._kernel} is no list of triton.Config")
        return configs

    def _note(self, given: Mapping[str, Any], function: Any) -> None:
        parameters = inspect.signature(function).parameters
        for name in self._asked:
            default = parameters[name].default if name in parameters else OPTIONS.get(name)
            value = given.get(name, default)
            self._launched[name] = value if isinstance(value, _PLAIN) else str(value)


def _python_function(launched: Any) -> Any:
    """The Python function below tuners and heuristics."""
    while not inspect.isfunction(launched) and hasattr(launched, "fn"):
        launched = launched.fn
    return launched


def _described(config: Any) -> dict[str, Any]:
    """What a configuration gives, in values that JSON has."""
    return {
        name: value if isinstance(value, _PLAIN) else str(value)
        for name, value in config.all_kwargs().items()
    }
