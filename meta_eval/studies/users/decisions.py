"""Which decisions are the paper's, and which are ours: every result says so."""

from dataclasses import dataclass
from typing import Any, Literal

Whose = Literal["paper", "ours"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: what it is about, what was decided, and by whom."""

    about: str
    decided: str
    whose: Whose

    def as_record(self) -> dict[str, Any]:
        """As results hold it."""
        return {"about": self.about, "decided": self.decided, "whose": self.whose}


SOURCE = "Wang et al. (2024), UserSumBench, arXiv 2408.16966: text without its appendix and result tables"

DECISIONS: tuple[Decision, ...] = (
    Decision("idea", "a summary is good if a model predicts from it what the user did next", "paper"),
    Decision("split", "past and future by time, never by chance", "paper"),
    Decision("future", "the last 5 activities, unless --future says otherwise", "ours"),
    Decision("metrics", "QM, IFM, IDM and MAA by the formulas of section 4.1", "paper"),
    Decision("threshold", "half of the tasks, unless --at-least says otherwise; the text has both", "ours"),
    Decision("length", "words between blanks; at most 100, unless --words says otherwise", "ours"),
    Decision("empty summary", "within the limit of words, without an IDM, and counted", "ours"),
    Decision(
        "missing answer", "leaves its summary's tasks; with more than half of them there is no Q", "ours"
    ),
    Decision("tasks", "next item, its attributes, and whether it is rated above the user's mean", "ours"),
    Decision("options", "4; other items of similar popularity that the user never touched", "ours"),
    Decision("controls", "no summary, and another user's summary; beside every score", "ours"),
    Decision("intervals", "users resampled; approaches paired, signs of users flipped, p after Holm", "ours"),
    Decision("hierarchy-critique", "segments by time, checked by questions, revised, combined", "paper"),
    Decision("segments", "calendar quarters of at least 20 activities, unless options say otherwise", "ours"),
    Decision("entities", "a model lists them; the paper takes a graph of knowledge", "ours"),
    Decision("same answer", "equal, or one within the other, or F1 of words of at least 0.6", "ours"),
    Decision("prompts", "written here; the paper's are in the appendix that is not at hand", "ours"),
    Decision("kappa", "Cohen's, and the share of the more frequent label, beside MAA", "ours"),
)
"""In the order in which a study meets them."""
