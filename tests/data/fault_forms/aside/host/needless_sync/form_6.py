"""Overlapped processing of image tiles on several streams."""
import numpy as np
from numba import cuda

TPB = 256
STREAMS = 4


@cuda.jit
def tone_map(x, exposure, out):
    i = cuda.grid(1)
    if i < out.size:
        v = x[i] * exposure
        out[i] = v / (1.0 + v)


class TilePipeline:
    def __init__(self, tile):
        self.streams = [cuda.stream() for _ in range(STREAMS)]
        self.d_in = [cuda.device_array(tile, dtype=np.float64) for _ in range(STREAMS)]
        self.d_out = [cuda.device_array(tile, dtype=np.float64) for _ in range(STREAMS)]
        self.blocks = (tile + TPB - 1) // TPB

    def process(self, tiles, results, exposure):
        """tiles and results are pinned arrays of shape (count, tile)."""
        for k in range(tiles.shape[0]):
            s = k % STREAMS
            stream = self.streams[s]
            self.d_in[s].copy_to_device(tiles[k], stream=stream)
            tone_map[self.blocks, TPB, stream](self.d_in[s], exposure, self.d_out[s])
            self.d_out[s].copy_to_host(results[k], stream=stream)
            stream.synchronize()  # fault: needless_sync
        cuda.synchronize()


if __name__ == "__main__":
    tiles = cuda.pinned_array((64, 4_000_000), dtype=np.float64)
    results = cuda.pinned_array(tiles.shape, dtype=np.float64)
    tiles[:] = np.random.default_rng(5).random(tiles.shape)
    TilePipeline(tiles.shape[1]).process(tiles, results, 1.8)
    np.save("mapped.npy", results)
