"""Forget who raters were, once a batch is long over; what they rated stays under their pseudonyms.

Nothing then leads from a pseudonym to a person, or back: nobody can withdraw any more. Consents stay, as the
record that and to which wording somebody agreed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Concat

from survey_site.batches.models import Batch
from survey_site.survey.models import Assignment, BackgroundAnswer, Mark, Rater, RatingHistory

FORGOTTEN = "forgotten:"
"""Begins what stands in place of the hash of a secret, and is no SHA-256: no secret leads to it."""


@dataclass(frozen=True)
class Personal:
    """Rows that hold something personal; `blank` is what takes its place, None: the rows are deleted."""

    word: str
    rows: "QuerySet[Any]"
    blank: dict[str, Any] | None

    def forget(self) -> None:
        if self.blank is None:
            self.rows.delete()
        else:
            self.rows.update(**self.blank)


def personal_data(batch: Batch, *, remarks: bool) -> Iterator[Personal]:
    """What is held of the people of a batch; with `remarks` what they wrote in their own words, too."""
    people = Rater.objects.filter(batch=batch).order_by()
    pseudonym = Concat(Value(FORGOTTEN), F("code"))
    yield Personal(
        "keyed hashes of panel ids, personal links and cookies",
        people.exclude(key_hash__startswith=FORGOTTEN),
        {"key_hash": pseudonym},
    )
    yield Personal("names", people.exclude(name=""), {"name": ""})
    yield Personal("answers about themselves", BackgroundAnswer.objects.filter(rater__batch=batch), None)
    if remarks:
        pages = Assignment.objects.filter(questionnaire__batch=batch).order_by()
        yield Personal("remarks", pages.exclude(comment=""), {"comment": "", "commented_at": None})
        of_batch = {"assignment_item__assignment__questionnaire__batch": batch}
        marks = Mark.objects.filter(**of_batch).exclude(words="")
        yield Personal("reasons in their own words", marks, {"words": ""})
        earlier = RatingHistory.objects.filter(**of_batch).exclude(words="").order_by()
        yield Personal("earlier reasons in their own words", earlier, {"words": ""})


def is_forgotten(batch: Batch) -> bool:
    """Whether it is no longer known who the people of a batch were."""
    return batch.people.filter(key_hash__startswith=FORGOTTEN).exists()
