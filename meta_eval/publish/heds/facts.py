"""What the answers of the datasheet are made from, and what an answer is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from meta_eval.report.schema import AgreementRow, Report


@dataclass(frozen=True, slots=True)
class DatasheetAnswer:
    """`text` in words; `options` chosen of the form, its words by position from 1.

    An answer that is not `complete` says what is known and leaves the question to the researcher.
    """

    text: str = ""
    options: Mapping[int, str] = field(default_factory=dict)
    complete: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    report: Report
    plan: Mapping[str, Any]
    study: Mapping[str, Any]
    languages: Sequence[str]

    @property
    def surveyed_here(self) -> bool:
        """Whether the raters met the pages of the web site, not some other form."""
        return "claim_minutes" in self.study

    @property
    def labels(self) -> list[tuple[int, str]]:
        """The points of the scale that have words, with these: both ends, or all; empty if not known."""
        names = ("low_label", "label_2", "label_3", "label_4", "label_5", "high_label")
        return [(point, words) for point, name in enumerate(names, 1) if (words := self.study.get(name))]

    @property
    def agreements(self) -> list[AgreementRow]:
        """What is known of the raters' agreement."""
        study = self.report.inference.agreement if self.report.inference else None
        return [row for row in (study.coefficients if study else ()) if row.estimate is not None]


def chosen(position: int, words: str, text: str = "") -> DatasheetAnswer:
    """The option at this position of the form, with its words, and what else there is to say."""
    return DatasheetAnswer(text, {position: f"{position}. {words}"})
