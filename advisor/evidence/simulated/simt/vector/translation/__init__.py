"""A PTX function translated into one LLVM function for a warp."""
