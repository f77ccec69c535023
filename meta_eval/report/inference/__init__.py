"""How sure a report is: intervals, p-values, ceilings, and what else its inputs can tell."""
