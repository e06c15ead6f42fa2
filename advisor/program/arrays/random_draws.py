"""How many values a call of NumPy's random functions draws: one, or an array of a given size."""

from __future__ import annotations

import ast

# Where `size` stands among the positional arguments (NumPy's reference, "Random sampling").
_SIZE_AT = {
    "random": 0, "random_sample": 0, "ranf": 0, "sample": 0, "standard_normal": 0, "standard_exponential": 0,
    "standard_cauchy": 0, "choice": 1, "poisson": 1, "exponential": 1, "rayleigh": 1, "geometric": 1,
    "chisquare": 1, "pareto": 1, "power": 1, "weibull": 1, "standard_t": 1, "standard_gamma": 1, "zipf": 1,
    "randint": 2, "integers": 2, "random_integers": 2, "uniform": 2, "normal": 2, "beta": 2, "binomial": 2,
    "gamma": 2, "gumbel": 2, "laplace": 2, "logistic": 2, "lognormal": 2, "vonmises": 2, "wald": 2, "f": 2,
    "triangular": 3, "hypergeometric": 3,
}  # fmt: skip
_NO_PARAMETERS = frozenset({"size", "dtype", "endpoint", "replace", "axis", "shuffle", "out"})
# Each argument is the size along one dimension.
_SIZES = frozenset({"rand", "randn"})


def size_drawn(call: ast.Call, name: str) -> ast.expr | None:
    """Return the argument that says how many values are drawn, None where none is given.

    Of several sizes, as `rand(n, m)` has them, it is the first.
    """
    for keyword in call.keywords:
        if keyword.arg == "size":
            return None if _is_none(keyword.value) else keyword.value
    at = 0 if name in _SIZES else _SIZE_AT.get(name)
    given = call.args[at] if at is not None and len(call.args) > at else None
    return None if given is None or _is_none(given) else given


def draws_one(call: ast.Call, name: str) -> bool | None:
    """Return whether a call draws one value where all its parameters are numbers; None for a function that is
    not known.
    """
    if name not in _SIZES and name not in _SIZE_AT:
        return None
    unpacked = [isinstance(one, ast.Starred) for one in call.args] + [not one.arg for one in call.keywords]
    if any(unpacked):
        return None
    return size_drawn(call, name) is None


def parameters_drawn_with(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a draw without a size; where one of them is an array, so is what is drawn."""
    return [*call.args, *(one.value for one in call.keywords if one.arg not in _NO_PARAMETERS)]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
