"""Of elements that real numbers of each thread pick no made-up launch tells how far apart they lie."""

from __future__ import annotations

import math

from numba import cuda, float32
from requests_of_functions import request_of

from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.program.index_relations.relations import IndexRelations


def picked(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[int(math.sqrt(float32(i))) % 16]


def test_nothing_is_told_of_elements_that_real_numbers_pick():
    here = picked.__code__.co_filename, picked.__code__.co_firstlineno + 3
    told = synthesise(request_of(picked, float32[::1], float32[::1]))
    relations = IndexRelations(real_indices=frozenset({(*here, "x")}))
    silent = synthesise(request_of(picked, float32[::1], float32[::1], relations=relations))
    assert {one.array for one in told.lines if one.entity == "access"} == {"x", "out"}
    assert {one.array for one in silent.lines if one.entity == "access"} == {"out"}
