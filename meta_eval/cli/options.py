"""Options that several commands share, each with its help in one place."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

import typer

from meta_eval.distances.computing import Normalise
from meta_eval.errors import InputError
from meta_eval.files.writing import (
    Format,
    require_file_place,
    require_folder_place,
    require_new_file_place,
)
from meta_eval.measures.base import Mode, Preprocess
from meta_eval.measures.words.tokenisers import Tokeniser
from meta_eval.ratings.rating import Scale
from meta_eval.scores.contributions import IncludeSelf
from meta_eval.scores.names import ScoreName
from meta_eval.scores.perseval import LARGEST as LARGEST_SHAPE
from meta_eval.scores.perseval import EdpReaders
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.significance.adjustment import Adjustment


def choices(vocabulary: Any) -> Any:
    """The values of a Literal as an enumeration: Typer takes no list of Literals."""
    return StrEnum("choices", {value: value for value in get_args(vocabulary)})


INCOMPLETE = 1
"""Exit status where a part could not be computed and the rest was written."""

SHOWN = ("score", "measure", "surrogate")
"""What the reader of a report may choose to see in its figures."""

Choice = TypeVar("Choice")


def plain(chosen: Iterable[Choice]) -> tuple[Choice, ...]:
    """What was chosen of `choices`, as values of the Literal."""
    return tuple(getattr(one, "value", one) for one in chosen)


if TYPE_CHECKING:
    OneCoefficient = Coefficient
else:
    OneCoefficient = choices(Coefficient)

HumanFile = Annotated[Path, typer.Argument(metavar="HUMAN.json", help="Result of `human`, as JSON.")]
AutomaticFile = Annotated[Path, typer.Argument(metavar="AUTOMATIC.json", help="Result of `score`, as JSON.")]
JudgedOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="SCORES.json", help="Scores of `judge summaries`, beside the others. May be repeated."
    ),
]
ScoreOption = Annotated[ScoreName, typer.Option(help="The score in question.")]
CorpusFile = Annotated[
    Path,
    typer.Argument(
        metavar="CORPUS.jsonl",
        help="Consolidated JSONL, one document a line. Or a table (CSV, Excel), a row for each text: doc_id, "
        "reader, system, text; doc_summ, doc_text, lang where there are any.",
    ),
]
MeasureOption = Annotated[
    list[str],
    typer.Option(
        "--measure",
        "-m",
        metavar="M",
        help="Measure, perhaps with options: rouge-l, bleu:n=4. May be repeated.",
    ),
]
SurrogateOption = Annotated[
    list[str],
    typer.Option(
        "--surrogate", "-m", metavar="M", help="Measure for the distances nobody rates. May be repeated."
    ),
]
SurrogatesOption = Annotated[
    list[str],
    typer.Option("--surrogate", metavar="M", help="Measure for the distances nobody rates. May be repeated."),
]
RatingsFile = Annotated[
    Path,
    typer.Argument(
        metavar="RATINGS",
        help="CSV, or the first sheet of an Excel file: doc_id, system, reader_a, reader_b, rater, rating; "
        "system 'user' is the gold pair. Or an SQLite file with the table `response` of the papers' survey "
        "app.",
    ),
]
ScaleOption = Annotated[
    Scale, typer.Option(help="What a high rating means. Never guessed: it turns every result around.")
]
LowestOption = Annotated[int, typer.Option(help="The lowest rating that could be given.")]
HighestOption = Annotated[int, typer.Option(help="The highest rating that could be given.")]
MixedOption = Annotated[
    bool,
    typer.Option(
        "--mixed",
        help="Ask of each model, too, what few ratings of people and many of it would give together.",
    ),
]
MinRatersOption = Annotated[
    int | None, typer.Option(min=1, help="Ratings a pair needs to count. [default: the full number]")
]
RatersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Full number of ratings per pair. [default: the most that any pair has]"),
]
AdjustOption = Annotated[Adjustment, typer.Option(help="How p-values are adjusted for their number.")]
FamilyOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SYSTEM,...",
        help="Correlate within this family of systems, too. May be repeated; the rest is one more.",
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
StabilityReplaceOption = Annotated[
    bool,
    typer.Option(
        "--stability-replace",
        help="The study of stability draws documents with replacement, as PerSEval 7.2 has it.",
    ),
]
SystemOption = Annotated[
    list[str] | None, typer.Option("--system", "-s", metavar="S", help="Only this system. May be repeated.")
]
NormaliseOption = Annotated[
    Normalise,
    typer.Option(
        help="Divide by the distance to the document, or use bare distances (no document texts needed)."
    ),
]
ModeOption = Annotated[
    Mode,
    typer.Option(help="As the papers define the measures, or as their authors' released code computes them."),
]
TokeniserOption = Annotated[
    Tokeniser | None,
    typer.Option(
        help="How measures over words find them, in place of what the language of the corpus asks for "
        "(docs/measures.md has the table). [default: by language]"
    ),
]
PreprocessOption = Annotated[
    Preprocess | None,
    typer.Option(
        help="Leave texts as they are, or prepare them as PENS' authors do. [default: none; pens with kdm]"
    ),
]


def finite(value: float) -> float:
    """The callback of every option that is a number: neither nan nor inf."""
    if not isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


def _shape(name: str) -> Any:
    return typer.Option(
        min=-LARGEST_SHAPE, max=LARGEST_SHAPE, help=f"{name} of the PerSEval penalty.", callback=finite
    )


AlphaOption = Annotated[float, _shape("Alpha")]
BetaOption = Annotated[float, _shape("Beta")]
GammaOption = Annotated[float, _shape("Gamma")]
PAccAlphaOption = Annotated[
    float, typer.Option(min=0, max=1, help="How much P-Acc loses to EGISES.", callback=finite)
]
PAccBetaOption = Annotated[
    float,
    typer.Option(min=0, max=1, help="Steepness of that loss, above 0.", callback=finite),
]
IncludeSelfOption = Annotated[
    bool, typer.Option("--include-self", help="Count k = j too, as PerSEval's printed sum does.")
]
SelfInSoftmaxOption = Annotated[
    bool,
    typer.Option(
        "--self-in-softmax", help="Count k = j in the softmax alone, as the code of the EGISES thesis does."
    ),
]


def self_of(include_self: bool, self_in_softmax: bool) -> IncludeSelf:
    """What two options say together; raises `InputError` where both are given."""
    if include_self and self_in_softmax:
        raise InputError("--include-self and --self-in-softmax are two readings of one sum: give one of them")
    return "softmax" if self_in_softmax else include_self


EdpReadersOption = Annotated[
    EdpReaders | None,
    typer.Option(
        help="Over whose accuracy the penalty of human PerSEval takes its least and mean: all readers of the "
        "document, the rated ones, or the first of each pair. [default: document; first with kdm]"
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", "-f", help="Format of the result.")]


def _checked(require: Callable[[Path], None]) -> Callable[[Path | None], Path | None]:
    """An option's callback that refuses a place before the work."""

    def check(out: Path | None) -> Path | None:
        if out is not None:
            require(out)
        return out

    return check


file_place = _checked(require_file_place)
new_file_place = _checked(require_new_file_place)
folder_place = _checked(require_folder_place)


OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write the result here instead of stdout.", callback=file_place
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="Folder or URL in which distances are kept and found again."),
]
