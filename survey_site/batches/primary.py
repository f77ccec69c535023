"""The primary coefficient of a batch: declared before ratings, kept with its time, never changed silently.

Each declaration is a row with its time and how many ratings there were; the latest stands. Reports take it
from here and say when it was made and what it replaced.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, cast

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet, Sum

from meta_eval.errors import InputError
from meta_eval.measures import measure_ids
from meta_eval.report.primary import Declaration, PrimaryScore
from meta_eval.stats.coefficients.registry import Coefficient
from survey_site.accounts.models import User
from survey_site.batches.models import Batch, Item, PrimaryDeclaration, scored_items
from survey_site.batches.states import AssignmentState
from survey_site.common.locking import locked
from survey_site.corpus.models import Corpus


@dataclass(frozen=True, kw_only=True)
class PrimaryChoice:
    """What an admin declares: a coefficient, a score and the surrogate of its human side; or nothing."""

    coefficient: str = ""
    score: str = "degress"
    surrogate: str = ""


def validate_primary(choice: PrimaryChoice, corpus: Corpus) -> None:
    """Raises ValidationError by field of the form: `primary_coefficient`, `primary_surrogate`, ...

    The surrogate is a measure, or distances from outside that the corpus has.
    """
    if not choice.coefficient:
        if choice.surrogate:
            message = "Choose the coefficient, too, or leave both empty."
            raise ValidationError({"primary_coefficient": message})
        return
    if not choice.surrogate:
        message = "Choose the surrogate, too: with several, one coefficient is several families of tests."
        raise ValidationError({"primary_surrogate": message})
    if choice.surrogate not in measure_ids() and not _has_distances(corpus, choice.surrogate):
        message = f"There is no measure “{choice.surrogate}”, and the corpus has no distances of that name."
        raise ValidationError({"primary_surrogate": message})
    try:
        Declaration(
            coefficient=cast(Coefficient, choice.coefficient),
            score=cast(PrimaryScore, choice.score),
            surrogate=choice.surrogate,
        )
    except InputError as error:
        raise ValidationError(
            {"primary_coefficient": f"{str(error)[:1].upper()}{str(error)[1:]}."}
        ) from error


def _has_distances(corpus: Corpus, name: str) -> bool:
    """Whether distances from outside are offered under this name."""
    return bool(_distances(corpus, name).exists())


def _distances(corpus: Corpus, name: str) -> "QuerySet[Any]":
    """Those that are offered under this name, at most one. Their app uses this one."""
    distances = apps.get_model("scoring", "GivenDistances")._default_manager
    return distances.filter(corpus=corpus, name=name, removed_at__isnull=True)


def stands(batch: Batch, choice: PrimaryChoice) -> bool:
    """Whether the choice is what the batch declares already: it was valid then, and is not asked again."""
    return choice == standing_choice(batch)


def standing_choice(batch: Batch) -> PrimaryChoice:
    """What the batch declares; the empty choice where it declares nothing."""
    row = batch.primary if batch.pk else None
    if row is None:
        return PrimaryChoice()
    return PrimaryChoice(coefficient=row.coefficient, score=row.score, surrogate=row.surrogate)


def declared_by(corpus: Corpus, surrogate: str) -> list[Batch]:
    """The batches of a corpus whose declaration names this surrogate."""
    batches = Batch.objects.filter(corpus=corpus, declarations__surrogate=surrogate)
    batches = batches.prefetch_related("declarations").distinct().order_by("pk")
    return [batch for batch in batches if batch.primary and batch.primary.surrogate == surrogate]


def store_primary(
    batch: Batch, choice: PrimaryChoice, now: datetime, by: User | None
) -> PrimaryDeclaration | None:
    """A row for what is declared, None where it stands already; the caller holds the transaction.

    Raises ValidationError by field.
    """
    if stands(batch, choice):
        return None
    # Locked, so that nobody removes them between the check and the row that names them.
    list(locked(_distances(batch.corpus, choice.surrogate)).values_list("pk"))
    validate_primary(choice, batch.corpus)
    if not choice.coefficient and batch.primary is None:
        return None
    ratings, planned = count_ratings(batch), _count_planned(batch)
    if not choice.coefficient and ratings:
        message = f"There are {ratings:,} ratings: a declaration can be changed now, but not taken back."
        raise ValidationError({"primary_coefficient": message})
    return batch.declarations.create(
        coefficient=choice.coefficient,
        score=choice.score if choice.coefficient else "",
        surrogate=choice.surrogate,
        declared_at=now,
        declared_by=by,
        ratings=ratings,
        planned=planned,
    )


def count_ratings(batch: Batch) -> int:
    """Ratings that a batch has had, submitted or not, and those submitted and withdrawn since.

    Somebody may have seen them. Controls, which enter no score, do not count.
    """
    rated = Item.objects.filter(scored_items(), questionnaire__batch=batch)
    withdrawn = Q(
        placements__assignment__state=AssignmentState.WITHDRAWN,
        placements__assignment__submitted_at__isnull=False,
    )
    there = Count("placements", filter=Q(placements__rating__isnull=False) | withdrawn)
    return int(rated.aggregate(ratings=there)["ratings"])


def _count_planned(batch: Batch) -> int | None:
    """How many ratings the plan asks for; None for a draft, whose plan may still change."""
    asked = Item.objects.filter(scored_items(), questionnaire__batch=batch)
    planned: int | None = asked.aggregate(planned=Sum("questionnaire__slots"))["planned"]
    return planned


def describe_primary(batch: Batch) -> dict[str, Any] | None:
    """The declaration that stands, as the options of a report hold it; None where there is none.

    `replaced` are those that it came in place of once there were ratings; before, nobody can have chosen by
    them.
    """
    rows = list(batch.declarations.all())
    if not rows or not rows[-1].coefficient:
        return None
    first = max((at for at, row in enumerate(rows) if row.ratings == 0), default=0)
    replaced = [asdict(row.declared) for row in rows[first:-1] if row.coefficient]
    return {**asdict(rows[-1].declared), "replaced": replaced}


def primary_in_words(batch: Batch) -> str:
    """What a batch declares, and when it was declared; empty where nothing stands."""
    standing = batch.primary
    return standing.in_words if standing else ""
