"""The parts of the page: each module makes one of them from the material."""
