"""Loops that end with the block or the grid, and data that goes on behind them."""

import pytest
from surveying import records, value

NEAREST = """
@cuda.jit
def nearest(points, centroids, labels):
    i = cuda.grid(1)
    if i < labels.size:
        best = 0
        for c in range(cuda.blockDim.x):
            if abs(points[i] - centroids[c]) < abs(points[i] - centroids[best]):
                best = c
        labels[i] = best

points = cuda.to_device(np.random.rand(64000))
centroids = cuda.to_device(np.random.rand({clusters}))
nearest[1000, 64](points, centroids, cuda.device_array(64000, np.int32))
"""

TILES = """
@cuda.jit
def potential(sources, out):
    tile = cuda.shared.array(128, np.float64)
    t = cuda.threadIdx.x
    total = 0.0
    for k in range(cuda.gridDim.x):
        tile[t] = sources[k * 128 + t]
        cuda.syncthreads()
        for j in range(128):
            total += tile[j]
        cuda.syncthreads()
    out[cuda.grid(1)] = total

potential[10, 128](cuda.to_device(np.random.rand({sources})), cuda.device_array(1280))
"""


def left_out(folder, text):
    """The size that a program's first loop counts, the array, how far it comes and how long the array is."""
    loop = records(folder, "loop", text)[0]
    names = ("launch_size_counted", "left_out_array", "elements_reached", "elements_there")
    return tuple(value(loop, one) for one in names)


def test_a_loop_over_the_threads_of_a_block_leaves_the_other_clusters_out(tmp_path):
    assert left_out(tmp_path, NEAREST.format(clusters=96)) == ("blockDim.x", "centroids", 64, 96)


@pytest.mark.parametrize("clusters", [64, "int(open('n').read())"])
def test_a_loop_over_the_threads_of_a_block_may_have_all_clusters(tmp_path, clusters):
    assert left_out(tmp_path, NEAREST.format(clusters=clusters)) == ("", "", None, None)


def test_tiles_counted_by_the_blocks_of_the_grid_end_before_the_sources(tmp_path):
    assert left_out(tmp_path, TILES.format(sources=2560)) == ("gridDim.x", "sources", 1280, 2560)


def test_tiles_counted_by_the_blocks_of_the_grid_may_be_all(tmp_path):
    assert left_out(tmp_path, TILES.format(sources=1280)) == ("", "", None, None)


def test_a_value_of_each_block_may_stand_in_a_longer_array(tmp_path):
    text = """
    @cuda.jit
    def total(parts, out):
        if cuda.grid(1) == 0:
            s = 0.0
            for b in range(cuda.gridDim.x):
                s += parts[b]
            out[0] = s

    total[10, 128](cuda.device_array(1024), cuda.device_array(1))
    """
    assert left_out(tmp_path, text) == ("", "", None, None)


def test_a_buffer_that_the_kernel_fills_itself_may_be_longer_than_the_block(tmp_path):
    text = """
    @cuda.jit
    def collect(values, buffer, out):
        buffer[cuda.threadIdx.x] = values[cuda.threadIdx.x]
        s = 0.0
        for t in range(cuda.blockDim.x):
            s += buffer[t]
        out[cuda.threadIdx.x] = s

    collect[1, 64](cuda.device_array(64), cuda.device_array(1024), cuda.device_array(64))
    """
    assert left_out(tmp_path, text) == ("", "", None, None)


def test_an_array_that_is_walked_in_full_elsewhere_is_left_alone(tmp_path):
    text = """
    @cuda.jit
    def two_walks(values, out):
        s = 0.0
        for t in range(cuda.blockDim.x):
            s += values[t]
        for t in range(values.size):
            s -= values[t]
        out[cuda.threadIdx.x] = s

    two_walks[1, 64](cuda.to_device(np.random.rand(96)), cuda.device_array(64))
    """
    assert left_out(tmp_path, text) == ("", "", None, None)
