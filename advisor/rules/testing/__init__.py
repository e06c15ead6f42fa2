"""The examples inside rules, and mutants that they should notice."""
