"""Variables that are read without a value, and those whose value nobody reads."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = """
@cuda.jit(device=True)
def twice(v):
    return v * 2

@cuda.jit
def k(a, out, n):
    i = cuda.grid(1)
"""
# The lines that are told stand at the places with a `<`.
ONE_WAY = """
if a[i] > 0:
    s = 1
elif a[i] < 0:
    s = -1
out[i] = s  # <
""", """
if a[i] > n:
    s = a[i]
out[i] = s  # <
""", """
if i >= n:
    return
for c in range(4):
    if a[c] > 2:
        best = c
    out[i] += best  # <
""", """
if n > 2:
    if a[i] > 0:
        s = a[i]
else:
    s = 3
out[i] = s  # <
""", """
if a[i] > 0:
    s = 1
if a[i] < 0:
    s = -1
out[i] = s  # <
"""  # fmt: skip
SEARCHED = """
for c in range(n):
    if a[c] > 3:
        q = c
        break
out[i] = q  # <
""", """
for c in range(n):
    if a[c] > 3:
        if a[c] < 7:
            q = c
out[i] = q * 2  # <
""", """
for c in range(a.size - 1):
    if a[c] <= n and n < a[c + 1]:
        q = c
out[i] = a[q]  # <
"""  # fmt: skip
NO_WAY = """
for c in range(n):
    t += a[c]  # <
out[i] = t
""", """
while a[i] < n:
    v = w + 1  # <
    w = a[i]
    a[i] = v
""", """
out[i] = t  # <
t = a[i]
"""  # fmt: skip
SET = """
if a[i] > 0:
    s = 1
else:
    s = -1
out[i] = s
""", """
if a[i] > n:
    s = a[i]
else:
    return
out[i] = s
""", """
found = False
if a[i] > n:
    s = a[i]
    found = True
if found:
    out[i] = s
""", """
if a[i] > n:
    s = a[i]
if a[i] > n and i > 4:
    out[i] = s
""", """
if n == 0:
    s = 1
elif n == 1:
    s = 2
out[i] = s
""", """
for c in range(n):
    if c > 0:
        out[i] += p
    p = a[c]
""", """
best = 1e30
for c in range(n):
    if a[c] < best:
        best = a[c]
        q = c
out[i] = q
""", """
found = False
for c in range(n):
    if a[c] > 3:
        q = c
        found = True
        break
if found:
    out[i] = q
""", """
found = 0
for c in range(n):
    if a[c] > 3:
        q = c
        found = 1
if found == 0:
    return
out[i] = q
""", """
for c in range(n):
    if c == n - 1:
        q = a[c]
out[i] = q
""", """
for c in range(n):
    if a[c] > 3:
        q = c
        break
else:
    q = n
out[i] = q
""", """
for c in range(n):
    if a[c] > 3:
        q = c
    else:
        q = -c
out[i] = q
""", """
q = -1
for c in range(n):
    if a[c] > 3:
        q = c
        break
out[i] = q
""", """
while True:
    if a[n] > 3:
        q = n
        break
    n -= 1
out[i] = q
""", """
if a[i] < n:
    q = 1
elif n < a[i]:
    q = 2
elif a[i] == n:
    q = 3
out[i] = q
""", """
if i > 0:
    q = a[i]
if i == 0:
    q = 3
out[i] = q
""", """
if a[i] > 0:
    q = a[i]
for c in range(a[i]):
    out[c] = q
""", """
try:
    q = a[i]
except Exception:
    pass
out[i] = q
""", """
for c in range(n):
    q = a[c]
out[i] = q
"""  # fmt: skip
UNREAD = (
    ("t = 0\nfor c in range(n):\n    t += a[c]\nout[i] = a[i]", "sum"),
    ("t = 0.0\nfor c in range(n):\n    t = t + a[c]\nout[i] = 1", "sum"),
    ("t = -1\nfor c in range(n):\n    t = max(t, twice(a[c]))\nout[i] = 1", "sum"),
    ("n += a[i]", "parameter"),
    ("out = a[i] * 2", "parameter"),
    ("if i < out.size:\n    out = twice(a[i])", "parameter"),
)
READ = (
    "t = 0\nfor c in range(n):\n    t += a[c]\nout[i] = t",
    "t = 0\nwhile t < n:\n    t += a[i]\nout[i] = 1",
    "n -= 1\nout[i] = n",
    "n = min(n, 4)\nfor c in range(n):\n    out[c] = 1",
    "t = 0\nt += cuda.atomic.add(out, 0, 1)",
    "t = 0\nt += unknown(a, i)\nout[i] = 1",
    # What a loop counts is no result.
    "t = 0\nfor c in range(n):\n    t += 1\nout[i] = 1",
    "t = a[i]\nout[i] = 1",
    "out[i] = a[i]",
)


def told(tmp_path, body: str, metric: str) -> tuple[list[object], list[str]]:
    text = HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines())
    found = [one for one in records(tmp_path, "variable", text) if value(one, metric)]
    lines = (tmp_path / "program.py").read_text().splitlines()
    return [value(one, metric) for one in found], [lines[one.span.line - 1] for one in found]


@pytest.mark.parametrize(
    ("body", "way"),
    [*((one, "one way") for one in (*ONE_WAY, *SEARCHED)), *((one, "no way") for one in NO_WAY)],
)
def test_some_way_sets_nothing(tmp_path, body, way):
    ways, (line,) = told(tmp_path, body, "unset_on")
    assert ways == [way]
    assert line.endswith("# <")


@pytest.mark.parametrize("body", SET)
def test_every_way_may_set_it(tmp_path, body):
    assert told(tmp_path, body, "unset_on") == ([], [])


@pytest.mark.parametrize(("body", "kind"), UNREAD)
def test_nobody_reads_it(tmp_path, body, kind):
    assert told(tmp_path, body, "unread")[0] == [kind]


@pytest.mark.parametrize("body", READ)
def test_somebody_may_read_it(tmp_path, body):
    assert told(tmp_path, body, "unread") == ([], [])
