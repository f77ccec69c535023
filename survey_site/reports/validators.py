"""The rules for what a report may be asked for; services call them, forms show what they raise."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from django.core.exceptions import ValidationError

from meta_eval.distances.computing import Normalise
from meta_eval.errors import InputError
from meta_eval.files.values import is_number
from meta_eval.measures import measure_ids
from meta_eval.report.options import RESAMPLES, choose_measures, measure_id
from meta_eval.report.published.comparing import published_options
from meta_eval.report.published.reading import PublishedTable
from meta_eval.report.schema.stand_in import MIXED
from meta_eval.scores.perseval import EDP_READERS, LARGEST, EdpReaders, PenaltyOptions, check_edp_readers
from meta_eval.stats.coefficients.correlation import check_coefficients
from meta_eval.stats.coefficients.families import parse_families
from meta_eval.stats.significance.adjustment import check_adjustment
from meta_eval.stats.table.resampled import Resampled
from meta_eval.stats.table.schemes import check_resampled
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.model_raters.models import ModelRun
from survey_site.reports.queries import texts_missing
from survey_site.scoring.given.measures import offered_hashes, with_given
from survey_site.scoring.given.queries import offered_names
from survey_site.scoring.models import GivenDistances
from survey_site.scoring.validators import validate_min_raters
from survey_site.survey.rating_rows import count_pairs_by_ratings


def validate_measures(field: str, specs: Sequence[str]) -> list[str]:
    """The measures by these names, each once; whether a measure can run is found out where it runs.

    Raises ValidationError on `field`.
    """
    try:
        return choose_measures(specs)
    except InputError as error:
        raise ValidationError({field: str(error)}) from error


def validate_sides(measures: Sequence[str], surrogates: Sequence[str], corpus: Corpus) -> dict[str, Any]:
    """The measures of both sides, and the hash of those that are distances from outside of this corpus."""
    given = offered_hashes(corpus, [*measures, *surrogates])
    elsewhere = offered_names(GivenDistances.objects.filter(corpus__project=corpus.project_id))
    for field, specs in (("measures", measures), ("surrogates", surrogates)):
        for name in set(map(measure_id, specs)) & set(elsewhere) - {*given, *measure_ids()}:
            there = ", ".join(f"“{one}”" for one in elsewhere[name])
            raise ValidationError({field: f"{name} are distances of {there}, not of “{corpus}”."})
    with with_given(corpus, given):
        chosen: dict[str, Any] = {
            "measures": validate_measures("measures", measures),
            "surrogates": validate_measures("surrogates", surrogates),
        }
    return {**chosen, "given": given} if given else chosen


def validate_model_runs(
    runs: Sequence[ModelRun], epsilon: float, batch: Batch, *, mixed: bool
) -> dict[str, Any]:
    """The keys of the runs whose ratings stand beside people's, the epsilon of their test, and whether a
    mixed survey is asked about; nothing where no run is chosen.

    Raises ValidationError for a run of another batch, for one that is not done, and for another epsilon.
    """
    for run in runs:
        if run.judges:
            raise ValidationError({"model_runs": f"{run.name} judges single summaries and rates no pair."})
        if run.batch_id != batch.pk:
            said = f"{run.name} rated “{run.batch}”, not “{batch}”."
            raise ValidationError({"model_runs": said})
        if not run.is_done:
            raise ValidationError({"model_runs": f"{run.name} is not done rating “{batch}”."})
    if not runs:
        return {}
    if not (is_number(epsilon) and 0 <= epsilon <= 1):
        raise ValidationError({"epsilon": "Give a number from 0 to 1; the paper uses 0.1 for crowd workers."})
    return {"model_runs": sorted(run.key for run in runs), "epsilon": float(epsilon), MIXED: bool(mixed)}


def validate_judge(run: ModelRun | None, batch: Batch) -> dict[str, Any]:
    """The key of the run whose scores stand beside the measures'; nothing where none is chosen.

    Raises ValidationError for a run that rates pairs, for one of another batch, and for one that is not done.
    """
    if run is None:
        return {}
    if not run.judges:
        raise ValidationError({"judge": f"{run.name} rates pairs; it judges no single summary."})
    if run.batch_id != batch.pk:
        raise ValidationError({"judge": f"{run.name} judged summaries of “{run.batch}”, not of “{batch}”."})
    if not run.is_done:
        raise ValidationError({"judge": f"{run.name} is not done judging summaries of “{batch}”."})
    return {"judge": run.key}


def validate_normalise(normalise: str, batch: Batch) -> Normalise:
    """Raises ValidationError for another word, and for "document" where texts are missing."""
    known: dict[str, Normalise] = {name: name for name in get_args(Normalise)}
    if normalise not in known:
        raise ValidationError(
            {"normalise": f"This is {' or '.join(get_args(Normalise))}, not {normalise!r}."}
        )
    if normalise == "document" and (missing := texts_missing(batch.corpus)):
        raise ValidationError(
            {
                "normalise": f"{missing} documents of “{batch.corpus}” have no text, so there is no "
                "distance to them. Choose “none”, or import a corpus with texts."
            }
        )
    return known[normalise]


def validate_ratings_a_pair(asked: int | None, batch: Batch) -> int:
    """How many ratings a pair needs; above the plan a ValidationError has what there is as `params`."""
    try:
        return validate_min_raters(asked, batch)
    except ValidationError as error:
        counts = count_pairs_by_ratings(batch)
        if asked is None or asked < 1 or not counts:
            raise
        (message,) = error.message_dict["min_raters"]
        raise _too_few(f"{message} So far {pairs_in_words(counts)}.", counts) from error


def validate_rated(min_raters: int, batch: Batch) -> None:
    """Raises ValidationError where no pair has as many ratings, with what may be asked for as `params`."""
    counts = count_pairs_by_ratings(batch)
    if any(ratings >= min_raters for ratings in counts):
        return
    there = f"so far {pairs_in_words(counts)}" if counts else "only gold pairs have ratings"
    raise _too_few(f"No pair of a system's texts has {min_raters} ratings yet: {there}.", counts)


TOO_FEW = "too few ratings"


def _too_few(message: str, counts: Mapping[int, int]) -> ValidationError:
    offer = {"offer": max(counts, default=None)}
    return ValidationError({"min_raters": ValidationError(message, code=TOO_FEW, params=offer)})


def pairs_in_words(counts: Mapping[int, int]) -> str:
    """How many pairs have how many ratings.

    Examples
    --------
    >>> pairs_in_words({1: 12, 2: 1})
    '12 pairs have 1 rating, 1 pair has 2'
    """
    parts = [
        f"{pairs:,} {'pair has' if pairs == 1 else 'pairs have'} {ratings}"
        for ratings, pairs in counts.items()
    ]
    first, *rest = parts
    return ", ".join([f"{first} rating{'' if next(iter(counts)) == 1 else 's'}", *rest])


def validate_penalty(**shapes: float) -> dict[str, float]:
    """alpha, beta and gamma of the penalty EDP, each checked under its own name."""
    wrong = [name for name, value in shapes.items() if not (is_number(value) and abs(value) <= LARGEST)]
    if wrong:
        used = PenaltyOptions()
        bounds = f"Give a number from -{LARGEST:g} to {LARGEST:g}"
        raise ValidationError({name: f"{bounds}; the papers use {getattr(used, name):g}." for name in wrong})
    return {name: float(value) for name, value in shapes.items()}


def validate_p_acc(alpha: float, beta: float) -> dict[str, float]:
    if not (is_number(alpha) and 0 <= alpha <= 1):
        raise ValidationError({"p_acc_alpha": "Give a number from 0 to 1."})
    if not (is_number(beta) and 0 < beta <= 1):
        raise ValidationError({"p_acc_beta": "Give a number above 0, at most 1."})
    return {"p_acc_alpha": float(alpha), "p_acc_beta": float(beta)}


def validate_edp_readers(readers: str | None) -> EdpReaders | None:
    """None, and empty, for those of the definition of the measures."""
    try:
        return check_edp_readers(readers) if readers else None
    except InputError as error:
        message = f"This is {', '.join(EDP_READERS)}, not {readers!r}."
        raise ValidationError({"edp_readers": message}) from error


def validate_resamples(resamples: int) -> int:
    low, high = RESAMPLES
    if not low <= resamples <= high:
        raise ValidationError({"resamples": f"Give a number from {low:,} to {high:,}."})
    return resamples


def validate_seed(seed: int) -> int:
    if not 0 <= seed < 2**32:
        raise ValidationError({"seed": "Give a whole number from 0 to 4,294,967,295."})
    return seed


def validate_resampled(resampled: str) -> Resampled:
    try:
        return check_resampled(resampled)
    except InputError as error:
        raise ValidationError({"resampled": sentence(error)}) from error


def validate_adjustment(adjustment: str) -> str:
    try:
        check_adjustment(adjustment)
    except InputError as error:
        raise ValidationError({"adjustment": sentence(error)}) from error
    return adjustment


def validate_coefficients(more: Sequence[str]) -> list[str]:
    """Those on top of the usual ones."""
    try:
        return list(check_coefficients(more)) if more else []
    except InputError as error:
        raise ValidationError({"coefficients": sentence(error)}) from error


def validate_families(texts: Sequence[str], batch: Batch) -> dict[str, str]:
    """System to family, for the systems of the survey; empty where no family is given."""
    systems = list(batch.systems.order_by("position").values_list("name", flat=True))
    try:
        return parse_families(texts, systems)
    except InputError as error:
        raise ValidationError({"families": sentence(error)}) from error


def sentence(error: Exception) -> str:
    """What the library says, as a form says it."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def validate_published(
    tables: Sequence[PublishedTable], same_systems: Mapping[str, str] | None, batch: Batch
) -> dict[str, Any]:
    """What the options hold of published tables. Raises ValidationError for a system that is not there."""
    systems = list(batch.corpus.systems.values_list("name", flat=True))
    try:
        return published_options(tables, same_systems, systems)
    except InputError as error:
        raise ValidationError({"same_systems": str(error)}) from error


def validate_launched(batch: Batch) -> None:
    if batch.is_draft:
        raise ValidationError({"batch": f"“{batch}” is a draft: launch it and let raters rate first."})
