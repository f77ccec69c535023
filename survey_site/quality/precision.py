"""What a planned batch will cost and buy, for itself and for larger and smaller ones beside it."""

from dataclasses import asdict, dataclass

from meta_eval.errors import InputError
from meta_eval.ratings.rows import rating_of_row
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.raters.power import Power, simulate_power_by_size
from meta_eval.stats.raters.precision import (
    Assumptions,
    Precision,
    SurveySize,
    estimate_assumptions,
    simulate_precision,
)
from survey_site.batches.effort import Effort, ReadingLoad, estimate_effort, reading_load, suitable_documents
from survey_site.batches.launch_rules import LEAST_SYSTEMS
from survey_site.batches.models import Batch
from survey_site.common.errors import InvalidInputError
from survey_site.survey.rating_rows import rating_rows


@dataclass(frozen=True)
class Option:
    """A batch like the planned one with other numbers: what it narrows a coefficient to, and how likely it
    finds one.

    in_corpus: whether the corpus has as many documents. cost: of raters' time, None without a rate.
    """

    documents: int
    raters: int
    planned: bool
    in_corpus: bool
    effort: Effort
    precision: dict[Coefficient, Precision]
    power: dict[Coefficient, Power]
    cost: float | None


def assumptions_from(
    batch: Batch, *, correlation: float, other: float = 0.4, between: float | None = None
) -> Assumptions:
    """Those that an earlier batch's ratings suggest; InvalidInputError where they say too little."""
    ratings = map(rating_of_row, rating_rows(batch))
    try:
        return estimate_assumptions(ratings, correlation=correlation, other=other, between=between)
    except InputError as error:
        raise InvalidInputError(
            f"“{batch}” cannot tell: {error}.", action="Choose another batch, or state the numbers yourself."
        ) from error


def compare_options(batch: Batch, assumptions: Assumptions, *, rate: float | None = None) -> list[Option]:
    """The planned batch, half, twice and four times its documents, and one and two raters more.

    rate: the price of an hour of a rater's time.
    """
    systems = list(batch.systems.all())
    if len(systems) < LEAST_SYSTEMS:
        raise InvalidInputError(
            f"A correlation over fewer than {LEAST_SYSTEMS} systems says nothing.",
            action="Plan the batch with more systems.",
        )
    documents, raters = batch.documents, batch.raters
    load = reading_load(batch.corpus, document_shown=batch.document_shown)
    there = len(suitable_documents(batch.corpus, systems, batch.reader_pairs))
    counts = dict.fromkeys((max(1, documents // 2), documents, 2 * documents, 4 * documents))
    designs = [*((count, raters) for count in counts), (documents, raters + 1), (documents, raters + 2)]
    sizes = [SurveySize(count, batch.reader_pairs, each) for count, each in designs]
    powers = simulate_power_by_size(assumptions, sizes, systems=len(systems), seed=batch.seed)
    return [
        _option(
            batch,
            load,
            assumptions,
            size,
            power,
            systems=len(systems),
            in_corpus=size.documents <= there,
            rate=rate,
        )
        for size, power in zip(sizes, powers, strict=True)
    ]


def _option(
    batch: Batch,
    load: ReadingLoad,
    assumptions: Assumptions,
    size: SurveySize,
    power: dict[Coefficient, Power],
    *,
    systems: int,
    in_corpus: bool,
    rate: float | None,
) -> Option:
    effort = estimate_effort(
        load,
        **asdict(size),
        systems=systems,
        systems_per_questionnaire=batch.systems_per_questionnaire,
        control_shares=batch.control_shares,
    )
    return Option(
        documents=size.documents,
        raters=size.raters,
        planned=(size.documents, size.raters) == (batch.documents, batch.raters),
        in_corpus=in_corpus,
        effort=effort,
        precision=simulate_precision(assumptions, **asdict(size), systems=systems, seed=batch.seed),
        power=power,
        cost=effort.hours * rate if rate else None,
    )
