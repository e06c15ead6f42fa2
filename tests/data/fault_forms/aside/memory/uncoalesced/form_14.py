import numpy as np
from numba import cuda

hit_dtype = np.dtype([
    ("x", np.float32), ("y", np.float32), ("z", np.float32), ("t", np.float32),
    ("charge", np.float32), ("sigma", np.float32), ("sensor", np.int32), ("event", np.int32),
    ("px", np.float32), ("py", np.float32), ("pz", np.float32), ("mass", np.float32),
], align=True)

TPB = 256


@cuda.jit
def calibrate(hits, gain, pedestal):
    i = cuda.grid(1)
    if i < hits.shape[0]:
        s = hits[i].sensor  # fault: uncoalesced
        hits[i].charge = (hits[i].charge - pedestal[s]) * gain[s]  # fault: uncoalesced


@cuda.jit
def total_charge(hits, per_event):
    i = cuda.grid(1)
    if i < hits.shape[0]:
        cuda.atomic.add(per_event, hits[i].event, hits[i].charge)  # fault: uncoalesced


def run(hits, gain, pedestal, n_events):
    blocks = (hits.size + TPB - 1) // TPB
    d_hits = cuda.to_device(hits)
    d_gain, d_ped = cuda.to_device(gain), cuda.to_device(pedestal)
    d_sum = cuda.to_device(np.zeros(n_events, dtype=np.float32))
    calibrate[blocks, TPB](d_hits, d_gain, d_ped)
    total_charge[blocks, TPB](d_hits, d_sum)
    return d_sum.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    n, n_events, n_sensors = 8_000_000, 1_000_000, 2048
    hits = np.zeros(n, dtype=hit_dtype)
    hits["sensor"] = rng.integers(0, n_sensors, n)
    hits["event"] = rng.integers(0, n_events, n)
    hits["charge"] = rng.exponential(10.0, n)
    gain = rng.uniform(0.9, 1.1, n_sensors).astype(np.float32)
    ped = rng.normal(1.0, 0.1, n_sensors).astype(np.float32)
    print(run(hits, gain, ped, n_events)[:5])
