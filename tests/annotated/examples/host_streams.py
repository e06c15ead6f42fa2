"""Copies and launches on streams: page-locked memory, streams left out, chunks, reads that come too early."""

import numpy as np
from numba import cuda


@cuda.jit
def step(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] + np.float32(1)


def pageable_on_a_stream(n):
    host = np.ones(n, dtype=np.float32)
    stream = cuda.stream()
    there = cuda.to_device(host, stream=stream)  # hit: pageable-copy-on-stream
    out = cuda.device_array(n, dtype=np.float32)
    step[4096, 256, stream](there, out)  # ok: stream-left-out-of-launch
    result = out.copy_to_host(stream=stream)  # hit: pageable-copy-on-stream
    stream.synchronize()
    return result


def pinned_on_a_stream(n):
    host = cuda.pinned_array(n, dtype=np.float32)
    host[:] = 1
    stream = cuda.stream()
    there = cuda.to_device(host, stream=stream)  # ok: pageable-copy-on-stream
    out = cuda.device_array(n, dtype=np.float32)
    step[4096, 256](there, out)  # hit: stream-left-out-of-launch
    out.copy_to_host(host, stream=stream)  # ok: pageable-copy-on-stream
    stream.synchronize()
    return host[0]  # ok: host-reads-before-copy-ends


def given_by_the_caller(host, n):
    stream = cuda.stream()
    there = cuda.to_device(host, stream=stream)  # ok: pageable-copy-on-stream
    out = cuda.device_array(n, dtype=np.float32)
    step[4096, 256, stream](there, out)  # ok: stream-left-out-of-launch
    stream.synchronize()
    return out


def no_stream_at_all(n):
    there = cuda.to_device(np.ones(n, dtype=np.float32))  # ok: pageable-copy-on-stream
    out = cuda.device_array(n, dtype=np.float32)
    step[4096, 256](there, out)  # ok: stream-left-out-of-launch
    return out.copy_to_host()


def read_at_once(there, n):
    host = cuda.pinned_array(n, dtype=np.float32)
    stream = cuda.stream()
    there.copy_to_host(host, stream=stream)
    return np.sum(host)  # hit: host-reads-before-copy-ends


def read_after_a_wait(there, n):
    host = cuda.pinned_array(n, dtype=np.float32)
    stream = cuda.stream()
    there.copy_to_host(host, stream=stream)
    size = host.shape
    stream.synchronize()
    return np.sum(host) / size[0]  # ok: host-reads-before-copy-ends


def read_after_a_copy_that_waits(there, n):
    host = cuda.pinned_array(n, dtype=np.float32)
    stream = cuda.stream()
    there.copy_to_host(host, stream=stream)
    other = there.copy_to_host()  # hit: part-of-copy-used
    return np.sum(host) + other[0]  # ok: host-reads-before-copy-ends


def chunk_by_chunk(parts, results):
    for k in range(len(parts)):  # hit: chunks-on-one-stream
        a = cuda.to_device(parts[k])  # hit: copy-in-host-loop
        b = cuda.device_array_like(a)  # hit: allocation-in-host-loop
        step[4096, 256](a, b)  # hit: launch-in-host-loop
        results.append(b.copy_to_host())  # hit: copy-in-host-loop
    return results


def chunks_on_two_streams(parts, pinned, buffers):
    streams = [cuda.stream(), cuda.stream()]
    for k in range(len(parts)):  # ok: chunks-on-one-stream
        stream = streams[k % 2]
        a = cuda.to_device(parts[k], stream=stream)  # hit: copy-in-host-loop
        b = buffers[k % 2]
        step[4096, 256, stream](a, b)  # hit: launch-in-host-loop
        b.copy_to_host(pinned[k], stream=stream)  # hit: copy-in-host-loop
    cuda.synchronize()


def the_data_stay(host, steps):
    a = cuda.to_device(host)
    b = cuda.device_array_like(a)
    norms = []
    for _ in range(steps):  # ok: chunks-on-one-stream
        step[4096, 256](a, b)  # hit: launch-in-host-loop
        norms.append(b.copy_to_host()[0])  # hit: copy-in-host-loop  # hit: part-of-copy-used
        a, b = b, a
    return norms


def chunks_on_one_stream(parts, pinned, buffers):
    stream = cuda.stream()
    for k in range(len(parts)):  # hit: chunks-on-one-stream
        a = cuda.to_device(parts[k], stream=stream)  # hit: copy-in-host-loop
        b = buffers[k % 2]
        step[4096, 256, stream](a, b)  # hit: launch-in-host-loop
        b.copy_to_host(pinned[k], stream=stream)  # hit: copy-in-host-loop
    stream.synchronize()


def chunks_on_the_callers_stream(parts, pinned, buffers, stream):
    for k in range(len(parts)):  # ok: chunks-on-one-stream
        a = cuda.to_device(parts[k], stream=stream)  # hit: copy-in-host-loop
        b = buffers[k % 2]
        step[4096, 256, stream](a, b)  # hit: launch-in-host-loop
        b.copy_to_host(pinned[k], stream=stream)  # hit: copy-in-host-loop
