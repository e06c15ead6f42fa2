"""What the words of a rule file mean and what its rules find."""
