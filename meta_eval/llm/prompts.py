"""Prompts as files: named sections with places for texts, and a digest that a changed word changes.

A template lies in the package's `data` folder. Its first line is `version: N`; a line `[role]` begins each
message, in the words of `string.Template`. Texts that are judged go between fences that occur in none.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from string import Template

from meta_eval.files.package import data_file
from meta_eval.llm.forms import Form
from meta_eval.llm.questions import Message, Role

SHORTEST_FENCE = 4
_HEAD = re.compile(r"\[(system|user|assistant)\]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template: its name and version, the SHA-256 of its file, and the messages that it makes."""

    name: str
    version: int
    digest: str
    sections: tuple[tuple[Role, str], ...]

    def fill(self, form: Form, **values: str) -> tuple[Message, ...]:
        """The messages with every place filled in; `$form` is what asks for the form of the answer.

        A text that holds a place of its own (`$form`) is left as it is.
        """
        filled = {**values, "form": form.instructions}
        return tuple(
            Message(role, "\n\n".join(filter(None, (_fill(part, filled) for part in text.split("\n\n")))))
            for role, text in self.sections
        )


def _fill(paragraph: str, values: dict[str, str]) -> str:
    """A paragraph of a template; empty where it is a place for which there is nothing."""
    return Template(paragraph).substitute(values)


def load_prompt(name: str) -> Prompt:
    """The template of this name.

    Parameters
    ----------
    name : of a file `prompt-NAME.txt` among the data of the library

    Returns
    -------
    Prompt

    Examples
    --------
    >>> load_prompt("judge-pairs").version
    1
    """
    text = data_file(f"prompt-{name}.txt").read_text(encoding="utf-8")
    head, _, body = text.partition("\n")
    parts = _HEAD.split(body)[1:]
    sections = tuple(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Prompt(name, int(head.removeprefix("version: ")), digest, sections)  # type: ignore[arg-type]


def fence(texts: Iterable[str]) -> str:
    """A line of tildes that stands in none of the texts, so that none of them can leave its place.

    Parameters
    ----------
    texts : what stands between two such lines

    Returns
    -------
    str of tildes, at least `SHORTEST_FENCE`

    Examples
    --------
    >>> fence(["rain", "~~~~ sun"])
    '~~~~~'
    """
    runs = [len(run) for text in texts for run in re.findall("~+", text)]
    return "~" * max(SHORTEST_FENCE, *(length + 1 for length in runs), SHORTEST_FENCE)
