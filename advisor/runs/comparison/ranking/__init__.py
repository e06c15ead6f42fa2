"""The kernels of runs ranked, beside their rooflines and budgets."""
