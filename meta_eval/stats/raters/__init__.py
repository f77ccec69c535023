"""How far raters agree, and how precise a plan of so many ratings will be."""
