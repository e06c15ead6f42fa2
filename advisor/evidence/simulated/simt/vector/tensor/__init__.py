"""Instructions of a whole warp that matrix products are made of: products, their operands, copies ahead."""
