"""The process that runs workloads to measure them."""
