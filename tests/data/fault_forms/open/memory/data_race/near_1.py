# near: data_race
import numpy as np
from numba import cuda

BINS = 360


@cuda.jit
def heading_histogram(heading, hist):
    """heading[track, sample] in whole degrees; each thread owns one track."""
    track = cuda.grid(1)
    if track < heading.shape[1]:
        for b in range(hist.shape[0]):
            hist[b, track] = 0
        for s in range(heading.shape[0]):
            hist[heading[s, track] % BINS, track] += 1


def track_roses(heading):
    heading = np.ascontiguousarray(heading.T, dtype=np.int32)
    n_tracks = heading.shape[1]
    d_heading = cuda.to_device(heading)
    d_hist = cuda.device_array((BINS, n_tracks), dtype=np.int32)
    heading_histogram[(n_tracks + 127) // 128, 128](d_heading, d_hist)
    return d_hist.copy_to_host().T


if __name__ == "__main__":
    np.save("roses.npy", track_roses(np.load("animal_headings.npy")))
