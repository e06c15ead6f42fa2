"""Sparse matrices: CuPy's, whose conversions and products cuSPARSE would compute, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.cupy.libraries.entries import Entries, offsets, places_of

PROGRAM = """\
import cupy as cp
import cupyx.scipy.sparse as sp
import cupyx.scipy.sparse.linalg as solvers
import numpy as np

made = np.random.default_rng(0)
S, T = made.random((6, 5)), made.random((6, 5))
S[S < 0.6] = 0
T[T < 0.5] = 0
V, W = made.random(5), made.random((5, 3))
H = S.T @ S + np.eye(5)
a, b, h, v, w = sp.csr_matrix(cp.asarray(S)), sp.csr_matrix(cp.asarray(T)), *map(cp.asarray, (H, V, W))
unsorted = sp.csr_matrix((cp.array([1.0, 2, 3]), cp.array([2, 0, 1]), cp.array([0, 2, 3])), shape=(2, 3))
unsorted.sort_indices()
double = sp.coo_matrix((cp.ones(4), (cp.array([0, 0, 1, 2]), cp.array([1, 1, 2, 0]))), shape=(3, 3))
cases = {
    "dense": (a, S), "csc": (a.tocsc(), S), "coo": (a.tocoo(), S), "coo to csr": (a.tocoo().tocsr(), S),
    "coo to csc": (a.tocoo().tocsc(), S), "transposed": (a.T, S.T),
    "of places": (double, [[0, 2, 0], [0, 0, 1], [1, 0, 0]]),
    "vector": (a @ v, S @ V), "matrix": (a @ w, S @ W), "csc vector": (a.tocsc() @ v, S @ V),
    "csc matrix": (a.tocsc() @ w, S @ W), "coo vector": (a.tocoo() @ v, S @ V),
    "float32": (a.astype("f") @ v.astype("f"), S @ V), "complex": (a.astype("D") @ v.astype("D"), S @ V),
    "sum": (a + b, S + T), "difference": (a - b, S - T), "product": (a @ b.T.tocsr(), S @ T.T),
    "elements": (a.multiply(b), S * T), "rows": (a[1:4], S[1:4]), "eye": (sp.eye(4).tocsr(), np.eye(4)),
    "below each other": (sp.vstack([a, b]), np.vstack([S, T])), "sorted": (unsorted.indices, [0, 2, 1]),
    "solved": (solvers.spsolve(sp.csr_matrix(h), v), np.linalg.solve(H, V)),
    "conjugate gradients": (solvers.cg(sp.csr_matrix(h), v)[0], np.linalg.solve(H, V)),
}
for name, (found, wanted) in cases.items():
    found = found.toarray() if sp.issparse(found) else found
    if not np.allclose(cp.asnumpy(found), wanted, 1e-4, 1e-5):
        print(name, found, wanted)
"""


def test_cupys_sparse_matrices(run_program):
    done = run_program(PROGRAM)
    assert (done.status, done.out) == (0, b""), done.err
    assert "does not offer" not in done.err


MATRIX = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])


@pytest.fixture
def entries():
    rows, columns = np.nonzero(MATRIX)
    return Entries(MATRIX.shape, rows, columns, MATRIX[rows, columns])


def test_lines_of_elements_by_hand():
    assert offsets(np.array([0, 2, 2]), 4).tolist() == [0, 1, 1, 3, 3]
    assert places_of(np.array([0, 1, 1, 3, 3])).tolist() == [0, 2, 2]


def test_products_by_hand(entries):
    assert entries.dense().tolist() == MATRIX.tolist()
    assert entries.times(np.array([1.0, 1, 2])).tolist() == [2, 11]
    assert entries.times(np.eye(3)).tolist() == MATRIX.tolist()
    squared = entries.product(entries.turned(1), 2.0)
    # Rows (0 2 0) and (3 0 4): their products are 4, 0 (no element) and 25.
    assert (squared.rows.tolist(), squared.columns.tolist()) == ([0, 1], [0, 1])
    assert squared.values.tolist() == [8, 50]


def test_sums_have_one_element_for_each_place(entries):
    found = entries.plus(Entries((2, 3), np.array([1, 0]), np.array([0, 2]), np.array([-3.0, 5])))
    assert found.rows.tolist() == [0, 0, 1, 1] and found.columns.tolist() == [1, 2, 0, 2]
    assert found.values.tolist() == [2, 5, 0, 4]


def test_conjugated_and_transposed():
    one = Entries((1, 2), np.array([0]), np.array([1]), np.array([1 + 2j]))
    assert one.turned(2).dense().tolist() == [[0], [1 - 2j]]
    assert one.turned(1).dense().tolist() == [[0], [1 + 2j]]
    assert one.scaled(2).values.tolist() == [2 + 4j]
