"""What the tests of records of source share lies here, beside their folders."""
