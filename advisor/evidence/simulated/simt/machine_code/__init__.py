"""What the assembler makes of PTX, estimated: the machine code itself may not be at hand."""
