"""Names of a rule file found and renamed, in all files that they stand in."""
