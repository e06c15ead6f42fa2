"""CuPy on the simulated GPU: the runtime that CuPy calls, and what its compiled parts would compute."""
