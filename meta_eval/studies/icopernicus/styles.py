"""From a case to the messages of each prompt style, every part within its budget of tokens; no model here.

A part that is longer than its budget is cut at its end; what a shorter one leaves is not passed on, so that
prompts of a style stay comparable. A prompt tells the target's body alone: never its title, nor a reference.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.readers import Readers
from meta_eval.errors import InputError
from meta_eval.llm.prompts import Prompt, fence, load_prompt
from meta_eval.llm.questions import Message, Request
from meta_eval.scores.prompt_styles import CONTRASTIVE as CONTRASTIVE_STYLES
from meta_eval.scores.prompt_styles import SHOTS, STYLES
from meta_eval.studies.icopernicus import headlines
from meta_eval.studies.icopernicus.headlines import Completion, Headlines
from meta_eval.studies.icopernicus.plans import EXAMPLES, Case, draw

HistoryEnd = Literal["first", "last"]
Count = Callable[[str], int]
"""The number of tokens of a text."""
PROMPT_TOKENS = 3700
"""What the parts of every style add up to, of 4,096 with instructions and answer."""

NO_HISTORY = "a reader has no history"
LONG_HEADLINE = "an example's headlines are longer than its budget"
NO_BODY = "a document has no body"
NO_THIRD = "no other reader stands in for User2"


class LeftOutError(Exception):
    """A case of which a style makes no prompt; the message is the reason."""


@dataclass(frozen=True, slots=True)
class StyleTokens:
    """A style's tokens: of each `history`, of each `example` with its headlines, and of the `article`."""

    history: int
    example: int
    article: int
    readers: int = 1
    examples: int = EXAMPLES

    @property
    def total(self) -> int:
        """Tokens of all parts together.

        Examples
        --------
        >>> BUDGETS["C-2-shot w/"].total
        3700
        """
        return self.readers * self.history + self.examples * self.example + self.article


BUDGETS: Mapping[str, StyleTokens] = {
    "0-shot": StyleTokens(1200, 0, 2500),
    "2-shot w/o": StyleTokens(0, 950, 1800),
    "2-shot w/": StyleTokens(1200, 600, 1300),
    "C-0-shot": StyleTokens(1000, 0, 1700, 2),
    "C-2-shot w/o": StyleTokens(0, 950, 1800, 2),
    "C-2-shot w/": StyleTokens(850, 450, 1100, 2),
}
"""iCOPERNICUS' budgets, in tokens of the model that is asked."""
_FILES = {style: style for style in SHOTS} | dict(
    zip(
        STYLES,
        ("0-shot", "2-shot-without", "2-shot-with", "c-0-shot", "c-2-shot-without", "c-2-shot-with"),
        strict=True,
    )
)
MOST_TOKENS = {False: 64, True: 128}
"""Tokens of a reply, by whether it holds two headlines."""


def style_prompt(style: str) -> Prompt:
    """The template of a style; raises `InputError` for what is no style."""
    if style not in _FILES:
        raise InputError(f"{style!r} is no prompt style; there are {', '.join((*STYLES, *SHOTS))}")
    return load_prompt(f"headline-{_FILES[style]}")


def style_form(style: str) -> Headlines | Completion:
    """What a prompt of a style is answered with."""
    if style in SHOTS:
        return Completion() if style == "k-shot" else Headlines(headlines.PLAIN)
    labels = headlines.CONTRASTIVE if style in CONTRASTIVE_STYLES else headlines.PLAIN
    return Headlines(labels, shown=not BUDGETS[style].example)


@dataclass(frozen=True, slots=True)
class _Second:
    """What is told as User2's: titles, and a headline for each example."""

    history: tuple[str, ...]
    headlines: tuple[str, ...]


class PromptMaker:
    """Makes the prompts of a corpus and its readers.

    `count` counts the tokens of a text as the model does. `history` says which titles are told where not all
    fit: the first or the last ones read. `seed` is of what adversarial prompts draw.
    """

    def __init__(
        self,
        corpus: Corpus,
        readers: Readers,
        count: Count,
        *,
        history: HistoryEnd = "first",
        seed: int = 0,
    ) -> None:
        self._documents = {document.id: document for document in corpus.documents}
        self._readers = readers
        self._names = sorted(corpus.readers)
        self._ids = {
            reader: sorted(one.id for one in corpus.documents if reader in one.references)
            for reader in self._names
        }
        self._count = lru_cache(maxsize=1 << 16)(count)
        self._cut = lru_cache(maxsize=1 << 14)(self._cut_anew)
        self._fit = lru_cache(maxsize=1 << 14)(self._fit_anew)
        self._history_end = history
        self._seed = seed

    def request(self, style: str, case: Case, *, adversarial: bool = False) -> Request:
        """The prompt of a style about a case.

        With `adversarial`, which only contrastive styles have, User2's history is another reader's, and
        User2's headlines of examples are random readers' of random other articles; nothing else changes.

        Raises
        ------
        LeftOutError
            Where the data for it is not there.
        """
        prompt, form, budget = style_prompt(style), style_form(style), BUDGETS[style]
        target = self._documents[case.target]
        contrastive = style in CONTRASTIVE_STYLES
        told = [self._told(reader, case, style) for reader in case.readers]
        if adversarial:
            if not contrastive:
                raise InputError(f"{style} has no second reader: adversarial prompts are of C- styles")
            told[1] = self._stranger(case, style)
        places = {"article": self.article(case, budget)}
        places |= self._history_places(told, target, budget, contrastive=contrastive)
        places |= self._example_places(told, case, budget, contrastive=contrastive)
        line = fence(places.values())
        return Request(prompt.fill(form, fence=line, **places), form, MOST_TOKENS[contrastive])

    def article(self, case: Case, budget: StyleTokens) -> str:
        """The target's body, within its budget. Raises `LeftOutError` where it has none."""
        return self._cut(self._body(case.target), budget.article)

    def example(self, document: str, written: Sequence[str], room: int) -> str:
        """The body of an example, within what the headlines `written` for it leave of the room in tokens.

        Raises `LeftOutError` where there is no body, or where the headlines take more than the room.
        """
        body, left = self._body(document), room - sum(map(self._count, written))
        if left < 0:
            raise LeftOutError(LONG_HEADLINE)
        return self._cut(body, left)

    def headline(self, document: str, reader: str) -> str:
        """What a reader wrote for a document, on one line."""
        return " ".join(self._documents[document].references[reader].split())

    def beginning(self, text: str, most: int) -> str:
        """A text's beginning of at most so many tokens."""
        return self._cut(text, most)

    def _body(self, document: str) -> str:
        body = self._documents[document].body.strip()
        if not body:
            raise LeftOutError(NO_BODY)
        return body

    def _told(self, reader: str, case: Case, style: str) -> _Second:
        history = self._readers[reader].history if reader in self._readers else ()
        if BUDGETS[style].history and not history:
            raise LeftOutError(NO_HISTORY)
        examples = case.examples if BUDGETS[style].example else ()
        return _Second(history, tuple(self._documents[one].references[reader] for one in examples))

    def _stranger(self, case: Case, style: str) -> _Second:
        """What adversarial prompts tell as User2's: nothing of it is of either reader."""
        key = ("adversarial", *case.readers, case.target)
        others = [name for name in self._names if name not in case.readers]
        known = [name for name in others if name in self._readers and self._readers[name].history]
        history: tuple[str, ...] = ()
        if BUDGETS[style].history:
            if not known:
                raise LeftOutError(NO_THIRD)
            history = self._readers[draw(known, 1, self._seed, *key, "history")[0]].history
        if not BUDGETS[style].example:
            return _Second(history, ())
        about = {case.target, *case.examples}
        found = []
        for number in range(EXAMPLES):
            reader = draw(others, 1, self._seed, *key, "reader", str(number))[0] if others else ""
            elsewhere = [one for one in self._ids.get(reader, ()) if one not in about]
            if not elsewhere:
                raise LeftOutError(NO_THIRD)
            chosen = draw(elsewhere, 1, self._seed, *key, "article", str(number))[0]
            found.append(self._documents[chosen].references[reader])
        return _Second(history, tuple(found))

    def _history_places(
        self, told: Sequence[_Second], target: Document, budget: StyleTokens, *, contrastive: bool
    ) -> dict[str, str]:
        if not budget.history:
            return {}
        # A reader may have read the target under its own title, which no prompt is to tell.
        hidden = {_folded(target.title), *map(_folded, target.references.values())}
        lists = []
        for one in told:
            titles = tuple(title for title in one.history if _folded(title) not in hidden)
            fitting = self._fit(titles, budget.history)
            if not fitting:
                raise LeftOutError(NO_HISTORY)
            lists.append(fitting)
        names = ("history_1", "history_2") if contrastive else ("history",)
        return dict(zip(names, lists, strict=True))

    def _example_places(
        self, told: Sequence[_Second], case: Case, budget: StyleTokens, *, contrastive: bool
    ) -> dict[str, str]:
        if not budget.example:
            return {}
        places: dict[str, str] = {}
        for number, example in enumerate(case.examples, start=1):
            written = [" ".join(one.headlines[number - 1].split()) for one in told]
            places[f"example_{number}"] = self.example(example, written, budget.example)
            names = (f"_{reader}" for reader in (1, 2)) if contrastive else ("",)
            places |= {f"headline_{number}{name}": text for name, text in zip(names, written, strict=True)}
        return places

    def _cut_anew(self, text: str, most: int) -> str:
        """The text's beginning that has no more tokens than `most`."""
        if self._count(text) <= most:
            return text
        return text[: _longest(len(text), lambda end: self._count(text[:end].rstrip()) <= most)].rstrip()

    def _fit_anew(self, titles: tuple[str, ...], most: int) -> str:
        """As many whole titles as there is room for, one a line."""
        last = self._history_end == "last"

        def lines(number: int) -> str:
            return "\n".join(titles[len(titles) - number :] if last else titles[:number])

        if self._count(lines(len(titles))) <= most:
            return lines(len(titles))
        return lines(_longest(len(titles), lambda number: self._count(lines(number)) <= most))


def _longest(length: int, fits: Callable[[int], bool]) -> int:
    """A number below `length` that fits while a greater one does not; 0 always fits."""
    low, high = 0, length
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def text_counter(count: Callable[[Sequence[Message]], int]) -> Count:
    """From a model's count of messages to that of a text: what an empty message takes does not count.

    Examples
    --------
    >>> from meta_eval.llm.counting import estimate_tokens
    >>> text_counter(estimate_tokens)("eight letters")
    4
    """
    empty = count((Message("user", ""),))
    return lambda text: count((Message("user", text),)) - empty


def styles_digest(styles: Sequence[str]) -> str:
    """Of all words of some styles' prompts and forms: a changed word changes it."""
    told = [(style_prompt(style).digest, style_form(style).instructions) for style in styles]
    return hashlib.sha256(repr(told).encode()).hexdigest()
