"""Studies of other papers on the same scores."""
