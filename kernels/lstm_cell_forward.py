"""One forward step of an LSTM cell: batch 32, input 64, hidden 128.

Four gates (input, forget, cell, output), each a sigmoid or tanh of `weights_x @ x + weights_h @ h + bias`;
then c' = forget * c + input * cell and h' = output * tanh(c'). The gates lie one after the other in the
rows of the weights, which are (4 * hidden, input) and (4 * hidden, hidden).

The first version gives each thread one hidden unit of one batch row, and each thread walks along its own
rows of the weights: neighbouring lanes are a row of 64 or 128 elements apart, so that each load of a warp
touches 16 sectors where 2 would do. Its sums start at `0.0` and so are float64, as are the activations after
them. 4,096 threads in 16 blocks leave most of the GPU idle.

The improved version takes the weights as (input, gate, unit), turned once on the host, so that neighbouring
lanes read neighbouring units. A block computes 16 units of one batch row with 16 x 4 x 4 threads: each of the
4 gates has 4 threads that share the sum, which gives 256 blocks of 256 threads. The partial sums meet in
shared memory. tanh(x) = 2 sigmoid(2 x) - 1 lets all gates of a warp take the same path.
"""

import math

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

BLOCK_FIRST = (16, 16)
UNITS = 16
GATES = 4
SLICES = 4
BLOCK = (UNITS, GATES, SLICES)
INPUT_GATE = 0
FORGET_GATE = 1
CELL_GATE = 2
OUTPUT_GATE = 3
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)


@cuda.jit
def lstm_cell_forward_first(x, h, c, weights_x, weights_h, bias, h_next, c_next):
    unit, row = cuda.grid(2)
    hidden = h.shape[1]
    if unit < hidden and row < h.shape[0]:
        gate_i = 0.0
        gate_f = 0.0
        gate_g = 0.0
        gate_o = 0.0
        for k in range(x.shape[1]):
            gate_i += weights_x[unit, k] * x[row, k]
            gate_f += weights_x[hidden + unit, k] * x[row, k]
            gate_g += weights_x[2 * hidden + unit, k] * x[row, k]
            gate_o += weights_x[3 * hidden + unit, k] * x[row, k]
        for k in range(hidden):
            gate_i += weights_h[unit, k] * h[row, k]
            gate_f += weights_h[hidden + unit, k] * h[row, k]
            gate_g += weights_h[2 * hidden + unit, k] * h[row, k]
            gate_o += weights_h[3 * hidden + unit, k] * h[row, k]
        gate_i = 1.0 / (1.0 + math.exp(-(gate_i + bias[unit])))
        gate_f = 1.0 / (1.0 + math.exp(-(gate_f + bias[hidden + unit])))
        gate_g = math.tanh(gate_g + bias[2 * hidden + unit])
        gate_o = 1.0 / (1.0 + math.exp(-(gate_o + bias[3 * hidden + unit])))
        c_new = gate_f * c[row, unit] + gate_i * gate_g
        c_next[row, unit] = c_new
        h_next[row, unit] = gate_o * math.tanh(c_new)


@cuda.jit
def lstm_cell_forward_improved(x, h, c, weights_x, weights_h, bias, h_next, c_next):
    partial = cuda.shared.array((SLICES, GATES, UNITS), np.float32)
    gates = cuda.shared.array((GATES, UNITS), np.float32)
    lane = cuda.threadIdx.x
    gate = cuda.threadIdx.y
    part = cuda.threadIdx.z
    unit = cuda.blockIdx.x * UNITS + lane
    row = cuda.blockIdx.y
    inside = row < h.shape[0] and unit < h.shape[1]

    total = ZERO
    if inside:
        for k in range(part, x.shape[1], SLICES):
            total += weights_x[k, gate, unit] * x[row, k]
        for k in range(part, h.shape[1], SLICES):
            total += weights_h[k, gate, unit] * h[row, k]
    partial[part, gate, lane] = total
    cuda.syncthreads()

    if inside and part == 0:
        total = bias[gate, unit]
        for s in range(SLICES):
            total += partial[s, gate, lane]
        scale = TWO if gate == CELL_GATE else ONE
        gates[gate, lane] = scale / (ONE + math.exp(-scale * total)) - (scale - ONE)
    cuda.syncthreads()

    if inside and part == 0 and gate == 0:
        c_new = gates[FORGET_GATE, lane] * c[row, unit] + gates[INPUT_GATE, lane] * gates[CELL_GATE, lane]
        c_next[row, unit] = c_new
        h_next[row, unit] = gates[OUTPUT_GATE, lane] * math.tanh(c_new)


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(8)
    batch, inputs, hidden = sizes["batch"], sizes["input"], sizes["hidden"]
    scale = np.float32(1.0 / math.sqrt(hidden))
    return {
        "x": random.standard_normal((batch, inputs), dtype=np.float32),
        "h": random.standard_normal((batch, hidden), dtype=np.float32),
        "c": random.standard_normal((batch, hidden), dtype=np.float32),
        "weights_x": random.standard_normal((4 * hidden, inputs), dtype=np.float32) * scale,
        "weights_h": random.standard_normal((4 * hidden, hidden), dtype=np.float32) * scale,
        "bias": random.standard_normal(4 * hidden, dtype=np.float32),
    }


def run_first(inputs: Arrays) -> Arrays:
    x = cuda.to_device(inputs["x"])
    h = cuda.to_device(inputs["h"])
    c = cuda.to_device(inputs["c"])
    weights_x = cuda.to_device(inputs["weights_x"])
    weights_h = cuda.to_device(inputs["weights_h"])
    bias = cuda.to_device(inputs["bias"])
    h_next = cuda.device_array(h.shape, dtype=np.float32)
    c_next = cuda.device_array(h.shape, dtype=np.float32)
    grid = (
        (h.shape[1] + BLOCK_FIRST[0] - 1) // BLOCK_FIRST[0],
        (h.shape[0] + BLOCK_FIRST[1] - 1) // BLOCK_FIRST[1],
    )
    lstm_cell_forward_first[grid, BLOCK_FIRST](x, h, c, weights_x, weights_h, bias, h_next, c_next)
    return {"h": h_next.copy_to_host(), "c": c_next.copy_to_host()}


def by_input_gate_unit(weights: np.ndarray, hidden: int) -> np.ndarray:
    return np.ascontiguousarray(weights.reshape(GATES, hidden, -1).transpose(2, 0, 1))


def run_improved(inputs: Arrays) -> Arrays:
    batch, hidden = inputs["h"].shape
    x = cuda.to_device(inputs["x"])
    h = cuda.to_device(inputs["h"])
    c = cuda.to_device(inputs["c"])
    weights_x = cuda.to_device(by_input_gate_unit(inputs["weights_x"], hidden))
    weights_h = cuda.to_device(by_input_gate_unit(inputs["weights_h"], hidden))
    bias = cuda.to_device(inputs["bias"].reshape(GATES, hidden))
    h_next = cuda.device_array((batch, hidden), dtype=np.float32)
    c_next = cuda.device_array((batch, hidden), dtype=np.float32)
    grid = ((hidden + UNITS - 1) // UNITS, batch)
    lstm_cell_forward_improved[grid, BLOCK](x, h, c, weights_x, weights_h, bias, h_next, c_next)
    return {"h": h_next.copy_to_host(), "c": c_next.copy_to_host()}


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def reference(inputs: Arrays) -> Arrays:
    exact = {name: array.astype(np.float64) for name, array in inputs.items()}
    gates = exact["x"] @ exact["weights_x"].T + exact["h"] @ exact["weights_h"].T + exact["bias"]
    gate_i, gate_f, gate_g, gate_o = np.split(gates, GATES, axis=1)
    c = sigmoid(gate_f) * exact["c"] + sigmoid(gate_i) * np.tanh(gate_g)
    return {"h": sigmoid(gate_o) * np.tanh(c), "c": c}


WORKLOAD = Workload(
    name="lstm_cell_forward",
    full={"batch": 32, "input": 64, "hidden": 128},
    reduced={"batch": 2, "input": 9, "hidden": 19},
    build_inputs=make_inputs,
    first=lstm_cell_forward_first,
    improved=lstm_cell_forward_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-5,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
