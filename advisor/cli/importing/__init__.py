"""The parts of `advisor import` around the readers: kernels matched, the run kept, what is printed."""
