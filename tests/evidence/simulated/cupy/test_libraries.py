"""NVIDIA's closed libraries: what NumPy computes in their place, and what is refused with a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import library_operations
import numpy as np
import pytest
from advisor_command import AdvisorCommand

from advisor.evidence.simulated.cupy.libraries.factors import (
    inverse_of_factors,
    left_factor,
    lu_in_place,
    product_of_factors,
    reflected,
    reflections,
)
from advisor.evidence.simulated.cupy.libraries.needed_names import needs


@pytest.fixture(scope="module")
def differences(cupy_command: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What all operations, in one run, say about themselves."""
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "pyproject.toml").touch()
    (folder / "main.py").write_text(Path(library_operations.__file__).read_text())
    done = cupy_command("run", "main.py", cwd=folder)
    assert done.status == 0, done.err
    assert "does not offer" not in done.err
    # CuPy's own kernels in CUDA C++ are not taken for the program's.
    assert "advisor: 0 launches recorded." in done.err
    found: dict[str, str] = json.loads(done.out)
    return found


@pytest.mark.parametrize("name", list(library_operations.OPERATIONS))
def test_results_are_those_of_numpy(differences, name):
    assert differences[name] == ""


def test_random_numbers_are_of_their_distribution_and_come_again(run_program):
    done = run_program(
        """\
        import cupy as cp
        draws = [
            (cp.random.rand, 0.5), (cp.random.randn, 0.0),
            (lambda n: cp.random.uniform(1, 3, n), 2.0), (lambda n: cp.random.randint(0, 9, n), 4.0),
            (lambda n: cp.random.poisson(3, n), 3.0), (lambda n: cp.random.exponential(2, n), 2.0),
        ]
        for draw, mean in draws:
            cp.random.seed(5)
            first = draw(4000)
            cp.random.seed(5)
            print(bool((first == draw(4000)).all()), abs(float(first.mean()) - mean) < 0.2)
        print(sorted(cp.random.permutation(6).tolist()), cp.random.choice(9, 3, replace=False).size)
        """
    )
    said = b"True True\n" * 6 + b"[0, 1, 2, 3, 4, 5] 3\n"
    assert (done.status, done.out) == (0, said), done.err


def test_what_is_not_offered_is_said_once_and_raised_as_cupys_error(run_program):
    done = run_program(
        """\
        import cupy as cp
        from cupy_backends.cuda.libs import cublas
        for _ in range(2):
            try:
                cublas.ssyrk(cp.cuda.get_cublas_handle(), 0, 0, 1, 1, 0, 0, 1, 0, 0, 1)
            except Exception as error:
                print(error)
        """
    )
    assert (done.status, done.out) == (0, b"CUBLAS_STATUS_NOT_SUPPORTED\n" * 2), done.err
    assert done.err.count("advisor: the simulated GPU does not offer cublasSsyrk") == 1


def test_a_module_of_pythons_needs_the_c_library():
    import _ctypes

    found = needs(Path(_ctypes.__file__))
    assert any(name.startswith("libc.so") for name in found.libraries)
    assert "PyErr_Occurred" in found.functions or "PyObject_Free" in found.functions


def test_a_file_of_another_kind_needs_nothing():
    found = needs(Path(__file__))
    assert (found.libraries, found.functions) == ((), ())


def test_lu_by_hand():
    matrix = np.array([[1.0, 2.0], [4.0, 2.0]])
    factors = matrix.copy()
    order, state = lu_in_place(factors)
    # Rows are exchanged; 1 = 0.25 * 4, and 2 - 0.25 * 2 = 1.5 is left.
    assert (order.tolist(), state) == ([2, 2], 0)
    assert factors.tolist() == [[4.0, 2.0], [0.25, 1.5]]
    assert np.allclose(product_of_factors(factors, order), matrix)
    assert np.allclose(inverse_of_factors(factors, order), np.linalg.inv(matrix))


def test_the_first_column_without_a_pivot_is_said():
    assert lu_in_place(np.array([[1.0, 2.0], [2.0, 4.0]]))[1] == 2
    assert lu_in_place(np.zeros((3, 3)))[1] == 1


@pytest.mark.parametrize("kind", [np.float64, np.complex128])
def test_reflections_make_the_left_factor(kind):
    matrix = np.random.default_rng(1).random((5, 3)).astype(kind) + (1j if kind is np.complex128 else 0)
    packed, scales = reflections(matrix)
    left = left_factor(packed[:, :3], scales, 5)
    assert np.allclose(left @ np.vstack([np.triu(packed[:3]), np.zeros((2, 3))]), matrix)
    assert np.allclose(left.conj().T @ left, np.eye(5))
    assert np.allclose(reflected(packed, scales, matrix, conjugated=True), left.conj().T @ matrix)
