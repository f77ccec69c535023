"""Tables of language models beside people, flat, with the meaning of their columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from meta_eval.publish.long_form import flat_row
from meta_eval.report.schema import Report, row_record

Row = Mapping[str, Any]


_OWN_NAMES: Mapping[str, str] = {
    "epsilon": "granted",
    "raters": "tested_raters",
    "rater": "rater_number",
    "model": "model_ratings",
    "people": "people_ratings",
    "rating": "point",
    "share": "missing_share",
    "n": "values",
}
"""Columns that other tables have in another sense are called otherwise here."""


def _named(row: Row) -> Row:
    return {_OWN_NAMES.get(name, name): value for name, value in row.items()}


def _part(part: str) -> Callable[[Report], Iterable[Row]]:
    """Rows of a part of each model, each with the model's name."""

    def rows(report: Report) -> Iterator[Row]:
        for one in report.inference.stand_in if report.inference else ():
            for row in getattr(one, part):
                record = flat_row(row_record(row))
                yield {"model": one.rater, **(record if part == "systems" else _named(record))}

    return rows


def _agreement(report: Report) -> Iterator[Row]:
    for one in report.inference.stand_in if report.inference else ():
        for of, side in (("model", one.agreement_with_people), ("people", one.agreement_of_people)):
            for row in side.coefficients:
                yield {
                    "model": one.rater,
                    "of": of,
                    "pairs_of_ratings": side.pairs_of_ratings,
                    **row_record(row),
                }


def _test(report: Report) -> Iterator[Row]:
    for one in report.inference.stand_in if report.inference else ():
        record = row_record(one.alternative_annotator_test)
        named = {name: value for name, value in record.items() if name not in ("raters", "reason")}
        yield {
            "model": one.rater,
            **_named({**named, "raters": len(record["raters"])}),
            "reason": record["reason"],
        }


def _against(report: Report) -> Iterator[Row]:
    for one in report.inference.stand_in if report.inference else ():
        for row in one.alternative_annotator_test.raters:
            yield {"model": one.rater, **_named(row_record(row))}


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
    "granted": "epsilon, what a rater's cost is worth: the advantage that the model is granted.",
    "items": "Pairs of texts that entered the test.",
    "leaning": "What the model may lean to; docs/models.md says what each is.",
    "missing": "How many answers are missing for the reason.",
    "mixed_estimate": "The human score from people's and the model's ratings; empty where there is none.",
    "mixed_high": "Upper end of its interval.",
    "mixed_low": "Lower end of its interval.",
    "missing_share": "Share of all answers.",
    "model": "The language model: as its ratings call it, or as systems are named after it (MODEL: STYLE).",
    "model_advantage": "How often the model is at least as close to the others as the rater.",
    "model_documents": "Documents that the model rated and no person did.",
    "model_ratings": "How many of the model's ratings.",
    "model_share": "Share of the model's ratings.",
    "of": "model: of the model with people; people: of people with each other.",
    "pairs_of_ratings": "How many times two ratings of one pair of texts were compared.",
    "passes": "true where the model beats half of the raters or more; empty where that is not decided.",
    "people_documents": "Documents that people and the model rated.",
    "people_estimate": "The human score from people's ratings of these documents alone.",
    "people_high": "Upper end of its interval.",
    "people_low": "Lower end of its interval.",
    "people_ratings": "How many of people's ratings.",
    "people_share": "Share of people's ratings.",
    "planned_documents": "Documents of the corpus with a score that no person rated.",
    "planned_saved": "Share of people's ratings expected to be saved if the model rated these too.",
    "point": "Point of the scale.",
    "rater_advantage": "How often the rater is at least as close to the others as the model.",
    "rater_number": "The rater by number; who it is, is nobody's business.",
    "saved": "Share of people's ratings that the model's save at equal width; below 0 where they cost some.",
    "tested_raters": "Raters who share enough pairs with others to be tested against.",
    "too_few": "Raters left out of the test because they share too few pairs.",
    "values": "How many values the estimate is over: pairs, or questions asked more than once.",
    "variant": "leave one out: each rater against all others; single expert: against one rater alone.",
    "weight": "Weight of the model's ratings in the mixed score (lambda).",
    "winning_rate": "omega: share of raters that the model beats once it is granted epsilon.",
    "wins": "true where the model beats the rater.",
}
"""Meaning of the columns that these tables alone have."""
