"""The server of the Model Context Protocol: the commands of the program as tools for other programs."""
