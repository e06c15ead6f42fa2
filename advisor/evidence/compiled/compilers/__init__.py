"""The processes that compile units, and what happens inside of them."""
