"""The processes that run programs and workloads."""
