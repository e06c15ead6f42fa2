"""Evidence of source "measured": the history, reports of NVIDIA's tools, and NVML."""
