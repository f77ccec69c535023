"""The form of an answer: one headline after each label, read as the authors' released code reads it."""

import re
from dataclasses import dataclass
from typing import Any

from meta_eval.llm.forms import LineForm, Reading

PLAIN = ("Headline",)
CONTRASTIVE = ("Headline for User1", "Headline for User2")
SHORTEST = 6
"""Characters: what is shorter is no headline."""
SHOWN = "Lighthouse keeper teaches a gull to sort the post"
"""A headline about nothing in any corpus, for prompts without an example."""

_AROUND = "\"'“”‘’«»`* \t\r"
_MARKS = ".!;:,"


@dataclass(frozen=True, slots=True)
class Headlines(LineForm):
    """A headline on the line of each of the `labels`; `shown` adds a made-up line to the request.

    Quotes and asterisks around a headline and marks at its end are taken away. One of fewer than six
    characters, a missing label and a label that stands there twice make the whole reply unreadable.

    Examples
    --------
    >>> Headlines(("Headline",)).read('Headline: "Rain in the north."').value
    {'Headline': 'Rain in the north'}
    >>> Headlines(CONTRASTIVE).read("Headline for User1: rain in the north").problem
    "it has no line 'Headline for User2: ...'"
    """

    labels: tuple[str, ...]
    shown: bool = False

    @property
    def instructions(self) -> str:
        lines = "\n".join(f"{label}: <headline>" for label in self.labels)
        which = "this line" if len(self.labels) == 1 else "these lines"
        asked = f"Answer with {which} and nothing else:\n{lines}"
        if not self.shown:
            return asked
        return f"{asked}\nSuch a line looks like this, of another article:\n{self.labels[0]}: {SHOWN}"

    @property
    def schema(self) -> None:
        return None

    @property
    def record(self) -> dict[str, Any]:
        return {"kind": "headlines", "labels": list(self.labels), "shortest": SHORTEST}

    def read(self, text: str) -> Reading:
        found: dict[str, str] = {}
        for label in self.labels:
            lines = self._lines(label).findall(text)
            if len(lines) != 1:
                problem = "stands in it more than once" if lines else ""
                return Reading(problem=f"{label!r} {problem}" if lines else f"it has no line '{label}: ...'")
            headline = _bare(lines[0])
            if len(headline) < SHORTEST:
                return Reading(problem=f"{label!r} has fewer than {SHORTEST} characters")
            found[label] = headline
        return Reading(found)

    @staticmethod
    def _lines(label: str) -> re.Pattern[str]:
        return re.compile(rf"^[ \t*]*{re.escape(label)}[ \t*]*:(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Completion(LineForm):
    """A headline as the end of a text that stops after `Headline:`: the reply's first line that has words.

    The label may be said again. A line that ends with a colon announces something and is no headline.

    Examples
    --------
    >>> Completion().read(" Rain in the north.\\n\\nArticle: more").value
    {'Headline': 'Rain in the north'}
    >>> Completion().read("Here is the headline:\\nRain in the north").problem
    'its first line announces a headline and is none'
    """

    @property
    def instructions(self) -> str:
        return "Go on after the last `Headline:` with that headline alone, on one line."

    @property
    def schema(self) -> None:
        return None

    @property
    def record(self) -> dict[str, Any]:
        return {"kind": "completed headline", "shortest": SHORTEST}

    def read(self, text: str) -> Reading:
        (label,) = PLAIN
        lines = [line for line in text.splitlines() if line.strip(_AROUND)]
        first = (
            re.sub(rf"^[ \t*]*{label}[ \t*]*:", "", lines[0], count=1, flags=re.IGNORECASE) if lines else ""
        )
        if first.rstrip(_AROUND).endswith(":"):
            return Reading(problem="its first line announces a headline and is none")
        headline = _bare(first)
        if len(headline) < SHORTEST:
            return Reading(problem=f"its first line has fewer than {SHORTEST} characters")
        return Reading({label: headline})


def _bare(text: str) -> str:
    """The headline on one line, without quotes around it and marks at its end."""
    before = None
    while before != text:
        before, text = text, text.strip(_AROUND).rstrip(_MARKS)
    return " ".join(text.split())
