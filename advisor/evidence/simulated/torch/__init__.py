"""PyTorch's tensors on the simulated GPU: their memory is its, and the CPU computes."""
