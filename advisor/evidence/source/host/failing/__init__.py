"""Host code that ends with an error: launches that are refused, calls without a grid, names that are gone."""
