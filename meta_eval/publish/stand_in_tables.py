"""Tables of language models beside people, flat, with the meaning of their columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from meta_eval.publish.long_form import flat_row
from meta_eval.report.schema import Report, row_record

Row = Mapping[str, Any]


def _part(part: str) -> Callable[[Report], Iterable[Row]]:
    """Rows of a part of each model, each with the model's name."""

    def rows(report: Report) -> Iterator[Row]:
        for one in report.inference.stand_in if report.inference else ():
            for row in getattr(one, part):
                yield {"model": one.rater, **flat_row(row_record(row))}

    return rows


def _agreement(report: Report) -> Iterator[Row]:
    for one in report.inference.stand_in if report.inference else ():
        for of, side in (("model", one.agreement_with_people), ("people", one.agreement_of_people)):
            for row in side.coefficients:
                yield {"model": one.rater, "of": of, "pairs": side.pairs_of_ratings, **row_record(row)}


def _test(report: Report) -> Iterator[Row]:
    for one in report.inference.stand_in if report.inference else ():
        record = row_record(one.alternative_annotator_test)
        named = {name: value for name, value in record.items() if name not in ("raters", "reason")}
        yield {"model": one.rater, **named, "raters": len(record["raters"]), "reason": record["reason"]}


def _against(report: Report) -> Iterator[Row]:
    for one in report.inference.stand_in if report.inference else ():
        for row in one.alternative_annotator_test.raters:
            yield {"model": one.rater, **row_record(row)}


STAND_IN_TABLES: Mapping[str, tuple[str, Callable[[Report], Iterable[Row]]]] = {
    "stand_in_agreement": ("Agreement of models with people, beside people's own", _agreement),
    "stand_in_test": ("The alternative annotator test of models", _test),
    "stand_in_raters": ("Models against each rater", _against),
    "stand_in_systems": ("Scores of systems as models judge them, against people's", _part("systems")),
    "stand_in_mixed": ("Human scores from few human and many model ratings", _part("mixed")),
    "stand_in_leanings": ("What models lean to", _part("leanings")),
    "stand_in_scale": ("Use of the scale by models and people", _part("scale_use")),
    "stand_in_missing": ("Answers of models that are missing", _part("missing_answers")),
    "stand_in_unanswered": ("Questions about models without answer", _part("unanswered")),
}
"""Each table by its name: what it holds, and its rows."""

STAND_IN_MEANINGS: Mapping[str, str] = {
    "advantage": "rho: how often the model is at least as close to the others, meant over raters.",
    "alignment": "Closeness by rmse (squared differences) or accuracy (equal ratings).",
    "answers": "How many answers the model was asked for.",
    "correlation": "Pearson correlation of people's and the model's scores of documents.",
    "equal_documents": "Documents that people alone would have to rate for an interval as narrow.",
    "items": "Pairs of texts that entered the test.",
    "leaning": "What the model may lean to; docs/models.md says what each is.",
    "missing": "How many answers are missing for the reason.",
    "mixed_estimate": "The human score from people's and the model's ratings; empty where there is none.",
    "mixed_high": "Upper end of its interval.",
    "mixed_low": "Lower end of its interval.",
    "model": "The model, as its ratings call it; in the use of the scale, how many of its ratings.",
    "model_advantage": "How often the model is at least as close to the others as the rater.",
    "model_documents": "Documents that the model rated and no person did.",
    "model_share": "Share of the model's ratings.",
    "of": "model: of the model with people; people: of people with each other.",
    "passes": "true where the model beats half of the raters or more; empty where that is not decided.",
    "people_documents": "Documents that people and the model rated.",
    "people_estimate": "The human score from people's ratings of these documents alone.",
    "people_high": "Upper end of its interval.",
    "people_low": "Lower end of its interval.",
    "people_share": "Share of people's ratings.",
    "planned_documents": "Documents of the corpus with a score that no person rated.",
    "planned_saved": "Share of people's ratings expected to be saved if the model rated these too.",
    "rater_advantage": "How often the rater is at least as close to the others as the model.",
    "saved": "Share of people's ratings that the model's save at equal width; below 0 where they cost some.",
    "too_few": "Raters left out of the test because they share too few pairs.",
    "variant": "leave one out: each rater against all others; single expert: against one rater alone.",
    "weight": "Weight of the model's ratings in the mixed score (lambda).",
    "winning_rate": "omega: share of raters that the model beats once it is granted epsilon.",
    "wins": "true where the model beats the rater.",
}
"""Meaning of the columns that these tables alone have."""
