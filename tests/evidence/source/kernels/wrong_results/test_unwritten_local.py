"""Local arrays that a kernel reads before it has stored anything to them, and those that it fills first."""

from __future__ import annotations

import pytest
from surveying import records, value

# The lines that are told stand at the places with a `<`.
WRONG = """
x[i] = s[0]  # <
""", """
for k in range(n):
    s[k % 4] += 1  # <
""", """
for k in range(n):
    if x[k] > 2:
        s[k % 4] += 1  # <
x[i] = s[0]
""", """
t = s[i % 4]  # <
s[0] = 1
x[i] = t + s[0]
""", """
for k in range(4):
    x[k] = s[k]  # <
for k in range(4):
    s[k] = 0
""", """
x[i] = first(s)
""", """
for k in range(n):
    x[k] = s[0]  # <
    s[0] = k
""", """
v = x[i]
while v < n:
    s[1] = v * s[0]  # <
    v += s[0] + s[1]
    s[0] = v
x[i] = v
""", """
while x[i] < n:
    s[1] = s[0] * 2  # <
    x[i] = s[1] + s[0]
    s[0] = x[i]
""", """
s[0] = 1
s[1] = 2
x[i] = s[0] + s[1] + s[2]  # <
""", """
for k in range(n):
    for m in range(3):
        x[k] += s[m]  # <
        s[m] = k
"""  # fmt: skip
RIGHT = """
for k in range(n):
    for m in range(k):
        x[k] += s[m]
    s[k] = k
""", """
for k in range(n):
    if x[k] < 0:
        continue
    x[k] = s[0]
    s[0] = k
""", """
for k in range(n):
    x[k] = s[0] if k > 0 else 0
    s[0] = k
""", """
s[0] = 1
s[i % 4] = 2
x[i] = s[0] + s[1] + s[2]
""", """
s[0] = 1
s[1] = 2
x[i] = s[1] + s[0]
""", """
s[0] = 1
x[i] = s[0]
""", """
for k in range(4):
    s[k] = 0
for k in range(n):
    s[k % 4] += 1
""", """
s[:] = 0
s[i % 4] += 1
""", """
if n > 2:
    s[0] = 1
else:
    s[0] = 2
x[i] = s[0]
""", """
for k in range(n):
    if k > 0:
        x[k] = s[0]
    s[0] = k
""", """
for k in range(n):
    if k > 0:
        s[0] += k
    else:
        s[0] = 1
""", """
fill(s)
x[i] = s[0]
""", """
unknown(s)
x[i] = s[0]
""", """
t = s
t[0] = 1
x[i] = s[0]
""", """
for one in (s, s):
    one[0] = 1
x[i] = s[0]
""", """
s[0].a = 1
x[i] = s[0].a
""", """
s[0], s[1] = x[i], 1
x[i] = s[0]
""", """
row = s[1:]
row[0] = 1
x[i] = s[1]
""", """
while n > 0:
    if i < n and s[i - 1] > 3:
        i -= 1
    s[i] = n
    n -= 1
""", """
cuda.atomic.add(s, 0, 1)
x[i] = s[0]
"""  # fmt: skip
HEAD = """
@cuda.jit(device=True)
def fill(a):
    for k in range(4):
        a[k] = k

@cuda.jit(device=True)
def first(a):
    return a[0]  # <

@cuda.jit
def k(x, n):
    s = cuda.local.array(4, np.int32)
    i = cuda.grid(1)
"""


def told(tmp_path, body: str, head: str = HEAD) -> tuple[set[str], str]:
    """The lines whose access reads what nothing has stored, and the program."""
    text = head + "".join(f"    {line}\n" for line in body.strip().splitlines())
    found = [one for one in records(tmp_path, "access", text) if value(one, "unwritten")]
    lines = (tmp_path / "program.py").read_text().splitlines()
    return {lines[one.span.line - 1] for one in found}, text


@pytest.mark.parametrize("body", WRONG)
def test_the_first_access_reads(tmp_path, body):
    lines, _ = told(tmp_path, body)
    assert len(lines) == 1
    assert all(line.endswith("# <") for line in lines)


@pytest.mark.parametrize("body", RIGHT)
def test_something_is_stored_before_or_may_be(tmp_path, body):
    assert told(tmp_path, body)[0] == set()


def test_shared_arrays_are_left_to_the_run(tmp_path):
    assert told(tmp_path, WRONG[0], HEAD.replace("local", "shared"))[0] == set()
