"""The forms in which PerSE's authors released their data (facebookresearch/PerSE, CC BY-NC 4.0).

Per-MPST: a line has `examples`, the past reviews and last the one to be foretold. Per-DOC: a line has one
`prompt`, in which texts stand between marked lines, and a `completion` with the choice; one file an aspect.
Only what stands in these fields is read; nothing of the data comes with this package.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from meta_eval.files.values import is_number
from meta_eval.studies.perse.cases import Comparison, ComparisonCase, Letter, Review, ReviewCase
from meta_eval.studies.perse.texts import comparison_id

_TEXT = r"\[The Start of Plot {0}\]\s*(.*?)\s*\[The End of Plot {0}\]"
_CHOICE = re.compile(r'"Choice"\s*:\s*"(?:Plot )?([AB])"')
_LETTER = re.compile(r"(?:^|[._-])([A-Z])(?=[._-]|$)")


class ReleasedError(ValueError):
    """A line that is not of the form it seems to have; the message says what is missing."""


def is_released_review(record: Mapping[str, Any]) -> bool:
    """Whether a line is one of Per-MPST."""
    return "examples" in record


def is_released_comparison(record: Mapping[str, Any]) -> bool:
    """Whether a line is one of Per-DOC."""
    return "prompt" in record and "completion" in record


def read_mpst_case(record: Mapping[str, Any]) -> ReviewCase:
    """One line of Per-MPST: K past reviews of one person, and the one to be foretold.

    Raises `ReleasedError` for a line with another form.
    """
    examples = record["examples"]
    if not isinstance(examples, list) or len(examples) < 2:
        raise ReleasedError("field 'examples' must be a list of past reviews and one to be foretold")
    *profile, query = (_mpst_review(one, number) for number, one in enumerate(examples, start=1))
    if any(one.reviewer != query.reviewer for one in profile):
        raise ReleasedError("field 'examples' has reviews of several persons")
    return ReviewCase(query, tuple(profile))


def _mpst_review(example: Any, number: int) -> Review:
    keys = ("reviewer_name", "movie_id", "summ_plot", "clean_review", "score")
    if not isinstance(example, dict) or (missing := [key for key in keys if key not in example]):
        lacking = ", ".join(missing if isinstance(example, dict) else keys)
        raise ReleasedError(f"example {number} lacks {lacking}")
    if not is_number(example["score"]) or not 1 <= example["score"] <= 10:
        raise ReleasedError(
            f"the score of example {number} is {example['score']!r}, not a number from 1 to 10"
        )
    reviewer, item, text, review = (str(example[key]) for key in keys[:4])
    return Review(reviewer, item, text, review, float(example["score"]))


def read_doc_case(record: Mapping[str, Any], file: str, aspects: Sequence[str]) -> ComparisonCase:
    """One line of Per-DOC: a past comparison of one person and a new one, in the aspect of the file's name.

    Raises `ReleasedError` for a line with another form, or a file whose name has no letter of an aspect.
    """
    prompt = record["prompt"]
    text = str(prompt[0] if isinstance(prompt, list) and prompt else prompt)
    sides = [re.findall(_TEXT.format(letter), text, flags=re.DOTALL) for letter in "AB"]
    if [len(side) for side in sides] != [2, 2]:
        raise ReleasedError("field 'prompt' must hold two comparisons, each with the texts of plots A and B")
    letters = [*_CHOICE.findall(text)[:1], *_CHOICE.findall(str(record["completion"]))[:1]]
    if len(letters) != 2:
        raise ReleasedError("no choice of A or B can be found in 'prompt' and 'completion'")
    person, aspect = str(record.get("review_id", "")), _aspect_of(file, aspects)
    if not person:
        raise ReleasedError("field 'review_id' is missing")
    past, new = (
        _comparison(person, sides[0][place], sides[1][place], aspect, letters[place]) for place in (0, 1)
    )
    return ComparisonCase(new, (past,))


def _comparison(person: str, a: str, b: str, aspect: str, choice: Letter) -> Comparison:
    return Comparison(comparison_id("", a, b), person, "", a, b, aspect, choice)


def _aspect_of(file: str, aspects: Sequence[str]) -> str:
    letters = {re.sub(r"\W", "", name)[:1].upper(): name for name in aspects}
    found = [letters[letter] for letter in _LETTER.findall(file) if letter in letters]
    if len(found) != 1:
        known = ", ".join(f"{letter} for {name}" for letter, name in letters.items())
        raise ReleasedError(f"the file's name must have one aspect as a letter between dots: {known}")
    return found[0]
