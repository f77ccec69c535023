"""The documentation as pages of the site, and the links that lead to its parts."""
