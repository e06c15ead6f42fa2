"""The vector JIT: PTX to LLVM, every register of a warp a vector of 32 lanes."""
