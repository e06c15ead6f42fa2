"""What was measured of kernels over time: fingerprints, and the store that keeps them."""
