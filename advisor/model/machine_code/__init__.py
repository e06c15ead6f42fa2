"""Machine code of kernels: PTX as it is handed on, and the assembler."""
