"""The questions of the Human Evaluation Datasheet 3.0, in their order (data/heds-3.0.csv).

Numbers and names of the fields are those of the form at https://nlp-heds.github.io, described in Anya Belz
and Craig Thomson (2025): HEDS 3.0: The Human Evaluation Data Sheet Version 3.0. Proceedings of the Fourth
Workshop on Generation, Evaluation and Metrics (GEM2), pages 60-81, ACL Anthology 2025.gem-1.6. The labels are
our own words; the questions themselves, their explanations and lists of options stand in the form.
"""

from dataclasses import dataclass

from meta_eval.files.package import read_data_table

SOURCE = (
    "Numbers as in the Human Evaluation Datasheet 3.0 (Belz and Thomson, 2025, "
    "https://aclanthology.org/2025.gem-1.6), labels in our own words; the questions in full: "
    "https://nlp-heds.github.io"
)

SECTIONS = {
    "1": "Paper, resources and people",
    "2": "Systems",
    "3": "Items, raters and design",
    "4": "The quality that was rated",
    "5": "Ethics",
}
"""Titles by the first part of a question's number."""

CRITERIA_FIELD = "heds-criteria-criterion"
"""The field of the form that names the quality criteria, of each of which section 4 is asked."""


@dataclass(frozen=True, slots=True)
class DatasheetQuestion:
    """One question: its number, what it is about, and the name of its field in the form's JSON file.

    `choice` says whether it is answered by choosing among options of the form.
    """

    number: str
    label: str
    field: str
    choice: bool

    @property
    def section(self) -> str:
        """A key of `SECTIONS`."""
        return self.number.partition(".")[0]


def _read_questions() -> tuple[DatasheetQuestion, ...]:
    return tuple(
        DatasheetQuestion(row["number"], row["label"], f"heds-{row['field']}", row["answer"] == "choice")
        for row in read_data_table("heds-3.0.csv")
    )


def _read_languages() -> dict[str, str]:
    return {row["code"]: row["name"] for row in read_data_table("heds-languages.csv")}


LANGUAGES = _read_languages()
"""The languages that the form offers for questions 2.4 and 2.5, by ISO 639-1 code, in the form's order."""

OTHER_LANGUAGE = "Other (please describe)"


def language_option(code: str) -> tuple[int, str]:
    """The option of a language, or the one for others: its position from 1, and its words.

    The form has "N/A" first and numbers it last, so that words count one less than positions.
    """
    number, name = _NUMBERED.get(code, (len(LANGUAGES) + 1, OTHER_LANGUAGE))
    return number + 1, f"{number}. {name}"


_NUMBERED = {code: (number, name) for number, (code, name) in enumerate(LANGUAGES.items(), start=1)}

QUESTIONS = _read_questions()
"""Every question once. Section 4 is about one quality criterion, how alike two texts are."""
