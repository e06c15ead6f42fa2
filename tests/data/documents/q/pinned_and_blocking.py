"""Page-locked batches whose copies block all the same, and a copy on a stream from pageable memory."""

import numpy as np
from numba import cuda
from torch.utils.data import DataLoader


def train(model, dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=4, pin_memory=True, persistent_workers=True)
    for batch in loader:
        data = batch["input"].to("cuda")  # hit: blocking-copy-of-pinned
        model(data)


@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= np.float32(2)


def on_a_stream():
    stream = cuda.stream()
    host = np.ones(1 << 20, dtype=np.float32)
    x = cuda.to_device(host, stream=stream)  # hit: pageable-copy-on-stream
    scale[4096, 256, stream](x)
    x.copy_to_host(host, stream=stream)  # hit: pageable-copy-on-stream
    stream.synchronize()
    return host
