"""What splits texts into words, counts what two texts share, and knows words' kinship."""
