"""A language model as a rater: asked what raters are asked, pair by pair, its ratings in own files."""
