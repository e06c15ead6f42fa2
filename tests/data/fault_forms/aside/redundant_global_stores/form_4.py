"""Doppler-corrected resampling of radar pulses."""
import math

import cupy as cp
from numba import cuda


@cuda.jit
def correct_pulses(re, im, velocity, wavelength, prt, out_re, out_im, phase_step):
    sample, pulse = cuda.grid(2)
    if pulse < re.shape[0] and sample < re.shape[1]:
        step = -4.0 * math.pi * velocity[pulse] * prt / wavelength
        phase_step[pulse] = step  # fault: redundant_global_stores
        c = math.cos(step * pulse)
        s = math.sin(step * pulse)
        a = re[pulse, sample]
        b = im[pulse, sample]
        out_re[pulse, sample] = a * c - b * s
        out_im[pulse, sample] = a * s + b * c


class DopplerCorrector:
    def __init__(self, wavelength, prt):
        self.wavelength = wavelength
        self.prt = prt

    def __call__(self, re, im, velocity):
        out_re = cp.empty_like(re)
        out_im = cp.empty_like(im)
        steps = cp.empty(re.shape[0], dtype=cp.float64)
        block = (64, 4)
        grid = (-(-re.shape[1] // block[0]), -(-re.shape[0] // block[1]))
        correct_pulses[grid, block](re, im, velocity, self.wavelength, self.prt, out_re, out_im, steps)
        return out_re, out_im, steps
