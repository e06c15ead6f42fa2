"""The guide's pipeline of two kernels, and its chunks, which wait for each other on one stream."""

import numpy as np
from numba import cuda


@cuda.jit
def sharpen(image, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = image[i] * np.float32(2)


@cuda.jit
def segment(image, out, least):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = np.float32(1) if image[i] > least else np.float32(0)


def workload():
    image = cuda.to_device(np.ones(256 * 256, dtype=np.float32))
    sharp = cuda.device_array_like(image)
    out = cuda.device_array_like(image)
    sharpen[256, 256](image, sharp)
    segment[256, 256](sharp, out, np.float32(100))  # hit: fusable-launches
    return out.copy_to_host()


def in_chunks(frames, results):
    for number in range(len(frames)):  # hit: chunks-on-one-stream
        frame = cuda.to_device(frames[number])  # hit: copy-in-host-loop
        out = cuda.device_array(256 * 256, dtype=np.float32)
        sharpen[256, 256](frame, out)
        results[number] = out.copy_to_host()  # hit: copy-in-host-loop


def in_chunks_on_a_stream(frames, results):
    stream = cuda.stream()
    for number in range(len(frames)):  # hit: chunks-on-one-stream
        frame = cuda.to_device(frames[number], stream=stream)  # hit: copy-in-host-loop
        out = cuda.device_array(256 * 256, dtype=np.float32, stream=stream)
        sharpen[256, 256, stream](frame, out)
        out.copy_to_host(results[number], stream=stream)  # hit: copy-in-host-loop
    stream.synchronize()


def launched_elsewhere(frame):
    stream = cuda.stream()
    image = cuda.to_device(frame, stream=stream)
    out = cuda.device_array(256 * 256, dtype=np.float32, stream=stream)
    sharpen[256, 256](image, out)  # hit: stream-left-out-of-launch
    return out.copy_to_host(stream=stream)
