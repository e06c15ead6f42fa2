"""Pages of rules and fixes as data, which the command line, the editor and the site show each in its form."""
