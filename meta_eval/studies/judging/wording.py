"""The words in which a pair is asked about: those that raters read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json
from meta_eval.ratings.rating import SIX_POINTS, Ends, Scale, check_scale

QUESTIONS: Mapping[Scale, str] = {
    "similarity": "How similar are the two texts in what they say?",
    "dissimilarity": "How different are the two texts in what they say?",
}
LABELS: Mapping[Scale, tuple[str, str]] = {
    "similarity": ("Very low similarity", "Very high similarity"),
    "dissimilarity": ("Very similar", "Very dissimilar"),
}
INSTRUCTIONS = (
    "Compare the two texts of each pair.\n\n"
    "Judge what the texts say: do they tell a reader the same thing, with the same emphasis? "
    "Style, length and small differences in wording matter little.\n\n"
    "Judge each pair for itself and use the whole scale. There are no right or wrong answers."
)
DOCUMENT_INSTRUCTIONS = INSTRUCTIONS.replace(
    "Compare the two texts",
    "Where an article is shown, read it first, so that you know what the texts are about. "
    "Then compare the two texts",
    1,
)
"""The questionnaire's own words, where nobody wrote others; a test holds them equal to the site's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What is asked: the question, words at points of the scale, and whether the article is shown."""

    scale: Scale
    question: str
    instructions: str
    labels: Mapping[int, str] = field(default_factory=dict)
    ends: Ends = SIX_POINTS
    document_shown: bool = False

    @property
    def scale_line(self) -> str:
        """The scale in one sentence."""
        named = "; ".join(f"{point}: {words}" for point, words in sorted(self.labels.items()))
        return f"The scale goes from {self.ends.lowest} to {self.ends.highest}. {named}."

    def as_record(self) -> dict[str, Any]:
        """All of it, for the signature and the record of a run."""
        return {
            "scale": self.scale,
            "question": self.question,
            "instructions": self.instructions,
            "labels": {str(point): words for point, words in sorted(self.labels.items())},
            "lowest": self.ends.lowest,
            "highest": self.ends.highest,
            "document_shown": self.document_shown,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Wording":
        """What `as_record` wrote.

        Examples
        --------
        >>> Wording.from_record(default_wording("similarity").as_record()) == default_wording("similarity")
        True
        """
        return cls(
            scale=check_scale(record["scale"]),
            question=record["question"],
            instructions=record["instructions"],
            labels={int(point): words for point, words in record["labels"].items()},
            ends=Ends.from_record(record),
            document_shown=record["document_shown"],
        )


def default_wording(scale: Scale, ends: Ends = SIX_POINTS, *, document_shown: bool = False) -> Wording:
    """The questionnaire's own words for a scale of this direction.

    Parameters
    ----------
    scale : {"similarity", "dissimilarity"}
    ends : Ends
        The lowest and the highest rating.
    document_shown : bool
        Whether raters see the document, too.

    Returns
    -------
    Wording

    Examples
    --------
    >>> default_wording("similarity").scale_line
    'The scale goes from 1 to 6. 1: Very low similarity; 6: Very high similarity.'
    """
    return Wording(
        scale=scale,
        question=QUESTIONS[scale],
        instructions=DOCUMENT_INSTRUCTIONS if document_shown else INSTRUCTIONS,
        labels=dict(zip((ends.lowest, ends.highest), LABELS[scale], strict=True)),
        ends=ends,
        document_shown=document_shown,
    )


def read_study(path: Path) -> Wording:
    """The words of a survey, from the `study.json` of its sealed bundle.

    Raises `InputError` for a file that is none.
    """
    study = read_json(path, "is no study.json of a sealed report")
    try:
        return study_wording(study)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = "is no study.json of a sealed report: it lacks the scale or the question"
        raise InputError([Fault(str(path), None, message)]) from error


def study_wording(study: Mapping[str, Any]) -> Wording:
    """The words of a survey, from what its `study.json` holds.

    Parameters
    ----------
    study : mapping
        With `scale` and `question`; `instructions`, the words at points of the scale (`low_label`, `label_2`,
        ..., `high_label`), its ends (`lowest`, `highest`) and `document_shown` where there are any.

    Returns
    -------
    Wording
        The usual words at the ends where the study has none.

    Raises
    ------
    KeyError, TypeError, ValueError
        Where scale or question is missing, or one of them is no text.

    Examples
    --------
    >>> study_wording({"scale": "similarity", "question": "How alike?"}).labels[6]
    'Very high similarity'
    """
    scale = check_scale(study["scale"])
    ends = Ends.from_record(study)
    labels = _study_labels(study, ends)
    return Wording(
        scale=scale,
        question=_study_text(study["question"]),
        instructions=_study_text(study.get("instructions") or ""),
        labels=labels or default_wording(scale, ends).labels,
        ends=ends,
        document_shown=study.get("document_shown") is True,
    )


def _study_labels(study: Mapping[str, Any], ends: Ends) -> dict[int, str]:
    """The words at points of the scale: of both ends, whatever they are, and of the points that are named."""
    points = {f"label_{point}": point for point in range(max(ends.lowest + 1, 2), min(ends.highest, 6))}
    points |= {"low_label": ends.lowest, "high_label": ends.highest}
    return {point: _study_text(study[name]) for name, point in points.items() if study.get(name)}


def _study_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("words are text")
    return value


def reworded(
    study: Path | None,
    scale: Scale | None,
    ends: Ends | None,
    *,
    question: str | None = None,
    instructions: str | None = None,
    labels: Iterable[str] = (),
    document_shown: bool = False,
) -> Wording:
    """The words of a study, or the usual ones, with what was written in place of them.

    `labels` are points and their words, "1=Not alike". Raises `InputError` where nobody says what a high
    rating means, where the study says the contrary or has another scale than `ends`, and for a label at no
    point of the scale. Without `ends` they are those of the study, or 1 and 6.
    """
    if study is not None:
        found = read_study(study)
    elif scale is not None:
        found = default_wording(scale, ends or SIX_POINTS, document_shown=document_shown)
    else:
        raise InputError("say what a high rating means: --scale similarity or dissimilarity, or --study")
    if scale is not None and scale != found.scale:
        raise InputError(f"--scale is {scale}, and {study} asked for {found.scale}: leave --scale out")
    if ends is not None and ends != found.ends:
        raise InputError(
            f"--lowest and --highest say {ends.lowest} to {ends.highest}, and {study} asked on a scale from "
            f"{found.ends.lowest} to {found.ends.highest}: leave them out"
        )
    points = dict(found.labels)
    for label in labels:
        point, equals, words = label.partition("=")
        if not equals or not words.strip() or point.strip() not in map(str, found.ends.steps):
            shown = f"{found.ends.lowest} to {found.ends.highest}"
            raise InputError(f"--label is a point of the scale, {shown}, and its words: 1=Low, not {label!r}")
        points[int(point)] = words.strip()
    return replace(
        found,
        question=question or found.question,
        instructions=found.instructions if instructions is None else instructions,
        labels=points,
        document_shown=found.document_shown or document_shown,
    )
