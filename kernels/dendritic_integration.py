"""Dendritic integration: 10 neurons, 8 dendrites each, 16 inputs, over 4,000 time steps.

A dendrite weighs its 16 inputs and answers with one of four non-linearities, in turn: sigmoid; NMDA, the
drive times the voltage-dependent release of the magnesium block (Jahr and Stevens, J. Neurosci. 10, 1990);
ActiveBP, the drive plus the square of its excess over a threshold, as back-propagating spikes amplify it;
multiplicative, the product of the drives of the two halves of the inputs. The soma sums its dendrites.
10 x 8 x 16 products are too little work for a GPU, so the neurons answer to 4,000 time steps of input
activity; a step does not depend on the one before. `activity` is (input, step), `soma` (neuron, step).

The first version gives each neuron one thread: a single block of 10 threads, less than a warp, on one
multiprocessor. Each thread walks along its own row of `soma` and of the weights, and adds each dendrite's
answer to `soma` in global memory. The drive starts at `0.0`, the constants are float64 and the square is
`** 2.0`, so that all arithmetic is float64 and the square a call of the general power function.

The improved version gives each neuron and time step a thread, with the lanes along the time steps, the last
index of `activity` and `soma`: 320 blocks of 128 threads. The neuron's weights are staged in shared memory,
where all lanes read the same word; four dendrites, one of each kind, are summed at once in float32
registers, so that an input is loaded once for the four and no thread has to branch on the kind.
"""

import math

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

NEURONS = 10
DENDRITES = 8
INPUTS = 16
KINDS = 4
HALF_INPUTS = 8
WEIGHTS = DENDRITES * INPUTS
THREADS = 128
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
REST_MILLIVOLT = np.float32(-65.0)
MILLIVOLT_PER_DRIVE = np.float32(20.0)
MAGNESIUM = np.float32(0.28)
BLOCK_PER_MILLIVOLT = np.float32(0.062)
SPIKE_THRESHOLD = np.float32(0.5)


@cuda.jit
def dendritic_integration_first(activity, weights, soma):
    neuron = cuda.grid(1)
    if neuron < soma.shape[0]:
        for step in range(soma.shape[1]):
            soma[neuron, step] = 0.0
            for d in range(weights.shape[1]):
                left = 0.0
                right = 0.0
                for s in range(HALF_INPUTS):
                    left += weights[neuron, d, s] * activity[s, step]
                    right += weights[neuron, d, s + HALF_INPUTS] * activity[s + HALF_INPUTS, step]
                drive = left + right
                if d % KINDS == 0:
                    answer = 1.0 / (1.0 + math.exp(-drive))
                elif d % KINDS == 1:
                    answer = drive / (1.0 + 0.28 * math.exp(-0.062 * (20.0 * drive - 65.0)))
                elif d % KINDS == 2:
                    answer = drive + max(drive - 0.5, 0.0) ** 2.0
                else:
                    answer = left * right
                soma[neuron, step] += answer


@cuda.jit
def dendritic_integration_improved(activity, weights, soma):
    neuron_weights = cuda.shared.array(WEIGHTS, np.float32)
    step, neuron = cuda.grid(2)
    inside = neuron < soma.shape[0] and step < soma.shape[1]

    if neuron < soma.shape[0]:
        for i in range(cuda.threadIdx.x, WEIGHTS, THREADS):
            neuron_weights[i] = weights[neuron, i]
    cuda.syncthreads()

    if inside:
        total = ZERO
        for first in range(0, WEIGHTS, KINDS * INPUTS):
            drive = ZERO
            nmda = ZERO
            active = ZERO
            left = ZERO
            right = ZERO
            for s in range(HALF_INPUTS):
                near = activity[s, step]
                far = activity[s + HALF_INPUTS, step]
                i = first + s
                j = i + HALF_INPUTS
                drive += neuron_weights[i] * near + neuron_weights[j] * far
                nmda += neuron_weights[i + INPUTS] * near + neuron_weights[j + INPUTS] * far
                active += neuron_weights[i + 2 * INPUTS] * near + neuron_weights[j + 2 * INPUTS] * far
                left += neuron_weights[i + 3 * INPUTS] * near
                right += neuron_weights[j + 3 * INPUTS] * far
            millivolt = REST_MILLIVOLT + MILLIVOLT_PER_DRIVE * nmda
            excess = max(active - SPIKE_THRESHOLD, ZERO)
            total += ONE / (ONE + math.exp(-drive))
            total += nmda / (ONE + MAGNESIUM * math.exp(-BLOCK_PER_MILLIVOLT * millivolt))
            total += active + excess * excess
            total += left * right
        soma[neuron, step] = total


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(9)
    shape = (sizes["neurons"], sizes["dendrites"], sizes["inputs"])
    return {
        "activity": random.random((sizes["inputs"], sizes["steps"]), dtype=np.float32),
        "weights": random.standard_normal(shape, dtype=np.float32) * np.float32(0.5),
    }


def run_first(inputs: Arrays) -> Arrays:
    activity = cuda.to_device(inputs["activity"])
    weights = cuda.to_device(inputs["weights"])
    soma = cuda.device_array((weights.shape[0], activity.shape[1]), dtype=np.float32)
    dendritic_integration_first[1, NEURONS](activity, weights, soma)
    return {"soma": soma.copy_to_host()}


def run_improved(inputs: Arrays) -> Arrays:
    neurons = inputs["weights"].shape[0]
    activity = cuda.to_device(inputs["activity"])
    weights = cuda.to_device(inputs["weights"].reshape(neurons, WEIGHTS))
    soma = cuda.device_array((neurons, activity.shape[1]), dtype=np.float32)
    grid = ((activity.shape[1] + THREADS - 1) // THREADS, neurons)
    dendritic_integration_improved[grid, (THREADS, 1)](activity, weights, soma)
    return {"soma": soma.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    products = np.einsum(
        "nds,st->ndst", inputs["weights"].astype(np.float64), inputs["activity"].astype(np.float64)
    )
    left = products[:, :, :HALF_INPUTS].sum(axis=2)
    right = products[:, :, HALF_INPUTS:].sum(axis=2)
    drive = left + right
    answers = drive.copy()
    answers[:, 0::KINDS] = 1.0 / (1.0 + np.exp(-drive[:, 0::KINDS]))
    answers[:, 1::KINDS] /= 1.0 + 0.28 * np.exp(-0.062 * (20.0 * drive[:, 1::KINDS] - 65.0))
    answers[:, 2::KINDS] += np.maximum(drive[:, 2::KINDS] - 0.5, 0.0) ** 2
    answers[:, 3::KINDS] = left[:, 3::KINDS] * right[:, 3::KINDS]
    return {"soma": answers.sum(axis=1)}


WORKLOAD = Workload(
    name="dendritic_integration",
    full={"neurons": NEURONS, "dendrites": DENDRITES, "inputs": INPUTS, "steps": 4_000},
    reduced={"neurons": 3, "dendrites": DENDRITES, "inputs": INPUTS, "steps": 131},
    build_inputs=make_inputs,
    first=dendritic_integration_first,
    improved=dendritic_integration_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-5,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
