"""Host code: where arrays come from and how they are used."""
