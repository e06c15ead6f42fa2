"""How processes of this program begin, and how they spend their time."""
