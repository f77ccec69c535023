"""Forms: what an answer may be, how a model is told, and how its reply is read.

Reading is strict. A reply is read in this order: the last balanced object that is JSON, of the last block
marked as JSON if there is one; the labelled value alone. Whatever is no value of the form is unreadable:
nothing is clamped, rounded, repaired or filled in, and "the first number in the text" is never taken.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Value = int | str | Mapping[str, str]

_BLOCK = re.compile(r"```json[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_QUOTES = "\"'“”‘’«»`"
CUT = "it reached its limit of tokens before its text ended"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says: its value and explanation, or what is wrong with it (`problem`)."""

    value: Value | None = None
    explanation: str | None = None
    problem: str = ""


class Form(ABC):
    """What an answer may be."""

    @property
    @abstractmethod
    def instructions(self) -> str:
        """The words that end a prompt and ask for this form."""

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any] | None:
        """A JSON schema of the answer, for servers that can hold a model to it; None for plain text."""

    @abstractmethod
    def read(self, text: str) -> Reading:
        """The value in a reply, or why there is none."""

    def read_cut(self, text: str) -> Reading:
        """The value in a reply that its limit of tokens cut; by default one that can be read is whole."""
        return self.read(text)

    @property
    def repair(self) -> str:
        """What is said after a reply that could not be read; `{problem}` says what was wrong."""
        return (
            "That answer cannot be read: {problem}. Answer the same question again.\n\n" + self.instructions
        )

    @property
    @abstractmethod
    def record(self) -> dict[str, Any]:
        """All that the form is, for the key under which a reply is kept."""


class LineForm(Form):
    """Plain text whose value stands on lines: cut in its last line, it is not whole."""

    def read_cut(self, text: str) -> Reading:
        found = self.read(text)
        whole = self.read(text[: max(map(text.rfind, "\r\n"), default=-1) + 1])
        return found if found.value == whole.value else Reading(problem=CUT)


class _JsonForm(Form):
    """An object with one labelled value, and an explanation before it if one is asked for."""

    label: str
    explain: str | None

    @abstractmethod
    def problem_of(self, value: Any) -> str:
        """What is wrong with a value as one of this form; empty if nothing is."""

    @property
    @abstractmethod
    def pattern(self) -> re.Pattern[str]:
        """The labelled value in a text that holds no JSON object."""

    @property
    @abstractmethod
    def value_schema(self) -> dict[str, Any]: ...

    @property
    def schema(self) -> dict[str, Any]:
        properties: dict[str, Any] = {self.explain: {"type": "string"}} if self.explain else {}
        properties[self.label] = self.value_schema
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    @property
    def record(self) -> dict[str, Any]:
        return {"kind": type(self).__name__.lower(), "schema": self.schema}

    def read(self, text: str) -> Reading:
        text = last_block(text) or text
        found, end = _last_object(text)
        if found is not None:
            if self.pattern.search(text, end):
                return Reading(problem=f"another {self.label!r} follows its JSON object")
            return self._of_object(found)
        values = {match.group(1) for match in self.pattern.finditer(text)}
        if len(values) != 1:
            missing = f"it holds no JSON object with {self.label!r}"
            return Reading(problem=f"it names several values of {self.label!r}" if values else missing)
        return self._checked(json.loads(values.pop()), None)

    def _of_object(self, found: Mapping[str, Any]) -> Reading:
        if self.label not in found:
            return Reading(problem=f"its object has no {self.label!r}")
        explanation = found.get(self.explain.lower()) if self.explain else None
        return self._checked(found[self.label], explanation if isinstance(explanation, str) else None)

    def _checked(self, value: Any, explanation: str | None) -> Reading:
        if problem := self.problem_of(value):
            return Reading(problem=problem, explanation=explanation)
        return Reading(value, explanation)

    def _example(self, shown: str) -> str:
        first = f'"{self.explain}": "...", ' if self.explain else ""
        return f'{{{first}"{self.label}": {shown}}}'


@dataclass(frozen=True, slots=True)
class Score(_JsonForm):
    """A whole number from `lowest` to `highest`; `explain` names what is to be written before it.

    Examples
    --------
    >>> Score(1, 6).read('I would say {"score": 4}.').value
    4
    >>> Score(1, 6).read("4").problem
    "it holds no JSON object with 'score'"
    """

    lowest: int
    highest: int
    explain: str | None = None

    label = "score"

    @property
    def instructions(self) -> str:
        return (
            f"Answer with a JSON object and nothing else: {self._example('N')}, "
            f"where N is a whole number from {self.lowest} to {self.highest}."
        )

    @property
    def value_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.lowest, "maximum": self.highest}

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(r'"score"\s*:\s*(-?(?:0|[1-9][0-9]{0,8}))(?![\d.eE])', re.IGNORECASE)

    def problem_of(self, value: Any) -> str:
        if type(value) is not int or not self.lowest <= value <= self.highest:
            return f"'score' is {_shown(value)}, not a whole number from {self.lowest} to {self.highest}"
        return ""


@dataclass(frozen=True, slots=True)
class Choice(_JsonForm):
    """One of some `options`; `explain` names what is to be written before it.

    Examples
    --------
    >>> Choice(("A", "B"), explain="reason").read('{"reason": "shorter", "choice": "B"}')
    Reading(value='B', explanation='shorter', problem='')
    """

    options: tuple[str, ...]
    explain: str | None = None

    label = "choice"

    @property
    def instructions(self) -> str:
        return (
            f"Answer with a JSON object and nothing else: {self._example('X')}, "
            f"where X is one of {', '.join(map(_quoted, self.options))}."
        )

    @property
    def value_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.options)}

    @property
    def pattern(self) -> re.Pattern[str]:
        options = "|".join(re.escape(_quoted(option)) for option in self.options)
        return re.compile(rf'"choice"\s*:\s*({options})', re.IGNORECASE)

    def problem_of(self, value: Any) -> str:
        if value not in self.options:
            return f"'choice' is {_shown(value)}, not one of {', '.join(map(_quoted, self.options))}"
        return ""


@dataclass(frozen=True, slots=True)
class Text(LineForm):
    """Plain text: its first line, or with `labels` a text after each label at the start of a line.

    Examples
    --------
    >>> Text().read('"Rain in the north"').value
    'Rain in the north'
    >>> Text(("User1", "User2")).read("User1: rain\\nUser2: sun").value
    {'User1': 'rain', 'User2': 'sun'}
    """

    labels: tuple[str, ...] = ()

    @property
    def instructions(self) -> str:
        if not self.labels:
            return "Answer with one line of text and nothing else."
        lines = "\n".join(f"{label}: ..." for label in self.labels)
        return f"Answer with these lines and nothing else:\n{lines}"

    @property
    def schema(self) -> None:
        return None

    @property
    def record(self) -> dict[str, Any]:
        return {"kind": "text", "labels": list(self.labels)}

    def read(self, text: str) -> Reading:
        if self.labels:
            return self._labelled(text)
        lines = (line.strip().strip(_QUOTES).strip() for line in text.splitlines())
        value = next(filter(None, lines), "")
        return Reading(value) if value else Reading(problem="it is empty")

    def _labelled(self, text: str) -> Reading:
        names = {label.lower(): label for label in self.labels}
        start = re.compile(rf"^\s*({'|'.join(map(re.escape, self.labels))})\s*:(.*)$", re.IGNORECASE)
        found: dict[str, list[str]] = {}
        current: list[str] = []
        for line in text.splitlines():
            if match := start.match(line):
                label = names[match.group(1).lower()]
                if label in found:
                    return Reading(problem=f"{label!r} stands in it twice")
                current = found[label] = [match.group(2)]
            else:
                current.append(line)
        texts = {label: " ".join(" ".join(found.get(label, ())).split()) for label in self.labels}
        if missing := [label for label, one in texts.items() if not one]:
            return Reading(problem=f"it has no text for {', '.join(missing)}")
        return Reading(texts)


@dataclass(frozen=True, slots=True)
class Passage(Form):
    """Plain text of any number of lines, as it stands; `wanted` says what it is to be.

    Examples
    --------
    >>> Passage("a list").read(" rain\\nsun ").value
    'rain\\nsun'
    """

    wanted: str = "the text"

    @property
    def instructions(self) -> str:
        return f"Answer with {self.wanted} and nothing else."

    @property
    def schema(self) -> None:
        return None

    @property
    def record(self) -> dict[str, Any]:
        return {"kind": "passage"}

    def read_cut(self, text: str) -> Reading:  # noqa: ARG002 - where it ended nobody knows
        return Reading(problem=CUT)

    def read(self, text: str) -> Reading:
        value = text.strip()
        return Reading(value) if value else Reading(problem="it is empty")


def last_block(text: str) -> str:
    """What stands in the last block marked as JSON if an object begins it; else nothing."""
    blocks = _BLOCK.findall(text)
    return blocks[-1] if blocks and isinstance(_parse(blocks[-1])[0], dict) else ""


def _last_object(text: str) -> tuple[dict[str, Any] | None, int]:
    """The last object of a text that stands in no other and is JSON, and where it ends."""
    last, last_end, place = None, 0, text.find("{")
    while place >= 0:
        found, length = _parse(text[place:])
        end = place + (length or 1)
        if isinstance(found, dict):
            last, last_end = found, end
        place = text.find("{", end)
    return last, last_end


def _parse(text: str) -> tuple[Any, int]:
    """The JSON value that a text begins with and where it ends; None and 0 where there is none."""
    stripped = text.lstrip()
    try:
        found, end = _DECODER.raw_decode(stripped)
    except (ValueError, RecursionError):
        return None, 0
    return found, end + len(text) - len(stripped)


def _folded(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object with its keys in lower case; a key that stands twice says nothing and is a fault."""
    found = {name.lower(): value for name, value in pairs}
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_folded)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _shown(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 40 else f"{shown[:40]}..."
