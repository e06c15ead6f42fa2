"""Batched token statistics; every block walks over the documents assigned to it."""
import numpy as np
from numba import cuda, int32

TPB = 256
VOCAB = 4096
PAD = 0


@cuda.jit
def document_histogram(tokens, hist):
    """tokens: (documents, length), hist: (documents, VOCAB)."""
    bins = cuda.shared.array(VOCAB, int32)
    t = cuda.threadIdx.x
    doc = cuda.blockIdx.x
    for b in range(t, VOCAB, TPB):
        bins[b] = 0
    cuda.syncthreads()
    length = tokens.shape[1]
    for first in range(0, length, TPB):
        k = first + t
        if k >= length or tokens[doc, k] == PAD:
            continue
        cuda.atomic.add(bins, tokens[doc, k], 1)
        cuda.syncthreads()
    cuda.syncthreads()
    for b in range(t, VOCAB, TPB):
        hist[doc, b] = bins[b]


class BagOfWords:
    def __init__(self, vocab=VOCAB):
        self.vocab = vocab

    def transform(self, tokens):
        n_docs = tokens.shape[0]
        d_tokens = cuda.to_device(tokens)
        d_hist = cuda.device_array((n_docs, self.vocab), dtype=np.int32)
        document_histogram[n_docs, TPB](d_tokens, d_hist)
        return d_hist.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    corpus = rng.integers(0, VOCAB, (20_000, 1500), dtype=np.int32)
    counts = BagOfWords().transform(corpus)
    print(counts.sum(), np.count_nonzero(corpus))
