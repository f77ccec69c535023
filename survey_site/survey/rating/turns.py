"""Which of two answers to one item, or of two remarks, was given later, in whatever order they arrive.

A request may be held up on its way, or in a busy site, until a later one is long answered. The page's script
therefore sends the name of its tab and a number that grows with every answer. An answer older than the one
that stands, given in the same tab, changes nothing (`answers` compares them). Between tabs, and without a
script, what arrives last stands.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """When an answer was given: the name of its tab, which no other has, and a number that grows there."""

    tab: str
    number: int

    def precedes(self, tab: str, number: int) -> bool:
        """Whether what was given in this tab, under this number, is later."""
        return tab == self.tab and self.number < number
