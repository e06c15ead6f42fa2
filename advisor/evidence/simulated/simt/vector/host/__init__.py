"""Memory of the host process that translated code works on."""
