"""Documents with their readers' references and systems' summaries, and the files they come in."""
