"""What fixing a finding could gain: what bounds its kernel, the kernel's share of the run, and the order."""
