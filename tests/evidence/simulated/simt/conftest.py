"""What the tests of the simulated machine share lies here, beside their folders."""
