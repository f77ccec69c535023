"""Reviews of public works without the names by which a model could know the works (the paper's data).

A model lists the names of each text with new ones; they are replaced here, in the text and in its reviews.
If wanted it then tells each text anew in fewer words. A work without a readable answer is left out: nothing
is passed on half anonymous.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT
from meta_eval.errors import InputError
from meta_eval.files.json_files import read_json_lines
from meta_eval.files.reading import Faults
from meta_eval.llm.asking import Answer
from meta_eval.llm.forms import Form, Passage, Reading, last_block
from meta_eval.llm.prompts import Prompt, fence
from meta_eval.llm.questions import Question, Request

NAMES_TOKENS = 1024
TOKENS_PER_WORD = 2
PAPER = ("names of characters replaced by new ones", "plots told anew without what gives the work away")
OURS = (
    "which names may be replaced, and how: whole words, the longest first, none twice",
    "new names in reviews, and a number in place of each item",
    "a work without a readable answer is left out",
    "the words of the prompts",
)
FIELDS = ("reviewer", "item", "text", "review")
_WORD = re.compile(r"\w+")

Ask = Callable[[Sequence[Question]], Sequence[Answer]]
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewNames(Form):
    """An object from each name in a text to its new name.

    Strict: a name must stand in the text as a whole word, its new name must not, and two names have two new
    ones. A name whose small letters are a word of the text too is refused, since every "The" would become a
    name; and where a name ends with another one, so do their new names.

    Examples
    --------
    >>> NewNames("Ann Holm met Bo.").read('{"Ann Holm": "Eva Berg", "Bo": "Ib"}').value
    {'Ann Holm': 'Eva Berg', 'Bo': 'Ib'}
    >>> NewNames("The rain. Ann saw the sun.").read('{"The": "Eva"}').problem
    "'The' is also a common word of the text"
    """

    text: str

    @property
    def instructions(self) -> str:
        return (
            'Answer with one JSON object from each name to its new name, such as {"Anna Holm": "Eva Berg"}, '
            "and nothing else. Without names answer: {}"
        )

    @property
    def schema(self) -> None:
        return None

    @property
    def record(self) -> dict[str, Any]:
        return {"kind": "names"}

    def read(self, text: str) -> Reading:
        try:
            found = json.loads((last_block(text) or text).strip(), object_pairs_hook=_once)
        except (ValueError, RecursionError):
            return Reading(problem="it is no JSON object")
        if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
            return Reading(problem="it is no JSON object from names to new names")
        names = {old.strip(): new.strip() for old, new in found.items()}
        rest = replace_names(self.text, names)
        problem = next(filter(None, (self._problem(old, new, names, rest) for old, new in names.items())), "")
        return Reading(problem=problem) if problem else Reading(names)

    def _problem(self, old: str, new: str, names: Mapping[str, str], rest: str) -> str:
        """What is wrong with one name, or nothing; `rest` is the text with all new names."""
        if not old or not new:
            return "it has an empty name"
        last = _last(old)[0] if _last(old) else old
        faults = (
            (not self._has(old), f"{old!r} does not stand in the text"),
            (self._has(new), f"the new name {new!r} stands in the text"),
            (
                old.lower() != old and self._has(old.lower()),
                f"{old!r} is also a common word of the text",
            ),
            (
                old == old.lower() != old.upper(),
                f"{old!r} is no name, which begins with a capital letter",
            ),
            (list(names.values()).count(new) > 1, f"two names become {new!r}"),
            (
                last != old and last in names and _last(new) != _last(names[last]),
                f"{old!r} and {last!r} get different family names",
            ),
            (
                last not in {old, *names}
                and last[:1].isupper()
                and _pattern([last]).search(rest) is not None,
                f"{last!r} of {old!r} stands alone, too: list it",
            ),
        )
        return next((said for wrong, said in faults if wrong), "")

    def _has(self, name: str) -> bool:
        return _pattern([name]).search(self.text) is not None


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _last(name: str) -> list[str]:
    return _WORD.findall(name)[-1:]


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these as whole words, the longest that fits."""
    found = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{found})(?!\w)")


def replace_names(text: str, names: Mapping[str, str]) -> str:
    """A text with each name replaced, whole words alone, the longest first, none twice.

    Parameters
    ----------
    text : str
    names : mapping of str to str
        New names by the old ones.

    Returns
    -------
    str

    Examples
    --------
    >>> replace_names("Ann met Bo Holm; Holm ran.", {"Ann": "Bo", "Bo Holm": "Eva Berg", "Holm": "Berg"})
    'Bo met Eva Berg; Berg ran.'
    """
    return _pattern(names).sub(lambda match: names[match[0]], text) if names else text


@dataclass(frozen=True, slots=True)
class Anonymous:
    """What became of reviews: `reviews` to use, the new `names` by work, and why works were `left_out`.

    `works` are the new names of items, by the old ones.
    """

    reviews: Sequence[Record]
    names: Mapping[str, Mapping[str, str]]
    works: Mapping[str, str]
    left_out: Mapping[str, str]


def read_public_reviews(path: Path) -> list[Record]:
    """Reviews as they were written: a line each with `reviewer`, `item`, `text`, `review` and `score`.

    Raises `InputError` with every fault, for a file without reviews, and where an item has two texts.
    """
    faults, found = Faults(DEFAULT_FAULT_LIMIT), list[Record]()
    texts: dict[str, str] = {}
    for number, record in read_json_lines(path, str(path), faults):
        wrong = [
            name
            for name in FIELDS
            if not isinstance(record, dict) or not isinstance(record.get(name), str) or not record[name]
        ]
        if wrong or "score" not in record:
            lacking = ", ".join(wrong) or "score"
            faults.add(str(path), number, f"lacks {lacking}: a line has {', '.join(FIELDS)} and score")
        elif texts.setdefault(record["item"], record["text"]) != record["text"]:
            faults.add(str(path), number, f"item {record['item']!r} has another text on a line before")
        else:
            found.append(record)
    faults.raise_if_any()
    if not found:
        raise InputError(f"{path}: holds no reviews")
    return found


def anonymise(
    reviews: Sequence[Record], ask: Ask, names: Prompt, *, shorten: Prompt | None = None, words: int = 300
) -> Anonymous:
    """Reviews with new names for characters, places and works, and if wanted with shorter texts.

    Parameters
    ----------
    reviews : sequence of mapping
        Of `read_public_reviews`.
    ask : callable
        From questions to their answers, in order. It is called once, or twice where texts are shortened.
    names : Prompt
        Of `load_prompt("anonymise-names")`.
    shorten : Prompt, optional
        Of `load_prompt("anonymise-shorten")`: each text is told anew in at most `words` words.

    Returns
    -------
    Anonymous
        Reviews in their order, with the five known fields alone. Items become `work-1`, `work-2` and so on,
        in texts and reviews too, since many are titles.

    Notes
    -----
    PerSE (Wang et al., EMNLP 2024) made Per-MPST of public plots in these two steps. How names are replaced,
    and what is refused, is ours.
    """
    texts = {review["item"]: review["text"] for review in reviews}
    asked = [Question(f"names\x1f{item}", _names_request(text, names)) for item, text in texts.items()]
    found: dict[str, Mapping[str, str]] = {}
    left_out: dict[str, str] = {}
    for item, answer in zip(texts, ask(asked), strict=True):
        if isinstance(answer.value, Mapping):
            found[item] = answer.value
        else:
            left_out[item] = str(answer.reason)
    works = {item: f"work-{number}" for number, item in enumerate(found, start=1)}
    written = {item: " ".join(one["review"] for one in reviews if one["item"] == item) for item in found}
    known = {
        item: {**_title(item, works[item], f"{texts[item]} {written[item]}"), **new}
        for item, new in found.items()
    }
    told = {item: replace_names(texts[item], new) for item, new in known.items()}
    if shorten is not None:
        told = _shortened(told, ask, shorten, words, left_out)
    return Anonymous(
        [
            {
                "reviewer": review["reviewer"],
                "item": works[review["item"]],
                "text": told[review["item"]],
                "review": replace_names(review["review"], known[review["item"]]),
                **({"score": review["score"]} if "score" in review else {}),
            }
            for review in reviews
            if review["item"] in told
        ],
        {item: found[item] for item in told},
        works,
        left_out,
    )


def _title(item: str, work: str, words: str) -> dict[str, str]:
    """What replaces the title of a work; nothing where the item is a number or a common word of the texts.

    A title with a capital letter behind its first one is no beginning of a sentence, so "Nine Clocks" is
    replaced where the text tells of nine clocks, too.
    """
    small = item.lower()
    is_common = item[1:] == small[1:] and _pattern([small]).search(words) is not None
    return {item: work} if small != item and not is_common else {}


def _names_request(text: str, prompt: Prompt) -> Request:
    form = NewNames(text)
    return Request(prompt.fill(form, fence=fence([text]), text=text), form, NAMES_TOKENS)


def _shortened(
    texts: Mapping[str, str], ask: Ask, prompt: Prompt, words: int, left_out: dict[str, str]
) -> dict[str, str]:
    """The texts told anew; why one has no answer goes into `left_out`."""
    form = Passage("the new text")
    questions = [
        Question(
            f"shorten\x1f{item}",
            Request(
                prompt.fill(form, fence=fence([text]), text=text, words=str(words)),
                form,
                TOKENS_PER_WORD * words,
            ),
        )
        for item, text in texts.items()
    ]
    told = {}
    for item, answer in zip(texts, ask(questions), strict=True):
        if isinstance(answer.value, str):
            told[item] = answer.value
        else:
            left_out[item] = str(answer.reason)
    return told
