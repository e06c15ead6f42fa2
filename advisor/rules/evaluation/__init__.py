"""Rules judged over tables of records, in three-valued logic."""
