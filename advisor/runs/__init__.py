"""Programs run and compared: profiles, searches, proofs of fixes, differences between runs."""
