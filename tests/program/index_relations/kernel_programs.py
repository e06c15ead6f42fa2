"""Programs of a device function and a kernel, from expressions that need not make sense."""

from __future__ import annotations

from hypothesis import strategies as st

_LEAVES = (
    "i", "j", "n", "m", "s", "x", "0", "3", "-1", "2.5", "a", "t", "None", "...", "'x'", "a.shape", "a.size",
    "c.T", "t[0]", "p[i]", "len(c)", "f(n, a)", "cuda.grid(1)", "cuda.threadIdx.x", "cuda.blockDim.y",
)  # fmt: skip
_OPERATORS = ["+", "-", "*", "//", "/", "%", "<<", ">>", "&", "|", "^", "**"]
_PATTERNS = (
    "{0}[{1}]", "{0}[{1}, {2}]", "{0}[{1}:]", "min({0}, {1})", "({0}, {1})", "int({0})", "(-{0})",
    "f({0}, i)", "cuda.atomic.add({0}, {1}, 1)", "({0} if {1} < {2} else n)", "({0} and {1} <= m)",
)  # fmt: skip
_HEADS = (
    "if ({0}) < ({1}):",
    "while ({0}) >= ({1}):",
    "for j in range({0}, {1}):",
    "for i, j in ({0}, {1}):",
)
_TARGETS = ("i", "j", "x", "n", "i, j", "a[i]", "c[i, j]", "t")

EXPRESSIONS = st.recursive(
    st.sampled_from(_LEAVES),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(_OPERATORS), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(st.sampled_from(_PATTERNS), inner, inner, inner).map(
            lambda parts: parts[0].format(*parts[1:])
        ),
    ),
    max_leaves=6,
)
STATEMENTS = st.recursive(
    st.one_of(
        st.tuples(st.sampled_from(_TARGETS), EXPRESSIONS).map(" = ".join),
        st.tuples(st.sampled_from(("i", "x", "a[j]", "n")), EXPRESSIONS).map(" += ".join),
        EXPRESSIONS,
        st.sampled_from(("return", "pass", "return i, a", "del x", "global g")),
    ).map(lambda line: [line]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(_HEADS), EXPRESSIONS, EXPRESSIONS, inner).map(
            lambda parts: [parts[0].format(parts[1], parts[2]), *("    " + line for line in parts[3])]
        ),
        st.tuples(inner, inner).map(lambda parts: [*parts[0], *parts[1]]),
    ),
    max_leaves=6,
)
PROGRAMS = st.tuples(STATEMENTS, STATEMENTS).map(
    lambda bodies: "\n".join(
        [
            "def f(n, a):",
            *(f"    {line}" for line in bodies[0]),
            "def k(a, c, p, t, n, m, s):",
            *(f"    {line}" for line in bodies[1]),
        ]
    )
)
