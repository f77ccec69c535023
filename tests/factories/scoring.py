"""A small corpus whose systems differ, and ratings of it, through the services that pages use."""

from itertools import count

from meta_eval.corpus import documents as values
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.corpus.services import import_corpus
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import make_rater

_numbers = count(1)

ANSWERS = {None: 2, "Copy": 2, "Mixed": 4, "Same": 6}
"""How similar every rater finds the two texts of a pair, by system; None is gold."""

_BODIES = (
    "The council closed the old bridge for repairs that will last until winter.",
    "A new bakery opened beside the station and sells bread from four in the morning.",
    "Heavy rain flooded two streets while firemen pumped water out of the cellars.",
)
_REFERENCES = (
    ("Old bridge closed", "Repairs last until winter", "Council closes the bridge for repairs"),
    ("Bakery opens early", "Bread beside the station", "New bakery sells bread from four"),
    ("Rain floods two streets", "Firemen pump out cellars", "Heavy rain fills the cellars with water"),
)


def make_values(*, bodies: bool = True) -> values.Corpus:
    """Three documents, three readers, and the systems Copy (the reference), Same (one text for all), Mixed.

    The titles carry a number, so that no two corpora are the same.
    """
    number = next(_numbers)
    return values.Corpus(
        tuple(
            _document(i, f"Report {number}", body if bodies else "", texts)
            for i, (body, texts) in enumerate(zip(_BODIES, _REFERENCES, strict=True), 1)
        )
    )


def _document(i: int, title: str, body: str, texts: tuple[str, ...]) -> values.Document:
    references = {f"reader{j}": text for j, text in enumerate(texts, 1)}
    mixed = {reader: f"{text} {texts[0]}" for reader, text in references.items()}
    same = dict.fromkeys(references, f"News {i}")
    return values.Document(
        f"doc{i}", title, body, references, {"Copy": references, "Mixed": mixed, "Same": same}
    )


def make_scored_corpus(*, bodies: bool = True) -> Corpus:
    return import_corpus(corpus=make_values(bodies=bodies), name="News", source="test", now=NOW).corpus


def make_rated_batch(
    *,
    corpus: Corpus | None = None,
    completions: int | None = None,
    simulated: bool = False,
    **settings: object,
) -> Batch:
    """A launched batch on `make_scored_corpus`, one questionnaire a document, rated by two raters each."""
    settings = {"systems_per_questionnaire": 3, "raters": 2, **settings}
    batch = make_batch(corpus=corpus or make_scored_corpus(), **settings)
    wanted = batch.questionnaires.count() * batch.raters if completions is None else completions
    rate_batch(batch, completions=wanted, simulated=simulated)
    return batch


def rate_batch(batch: Batch, *, completions: int, simulated: bool = False, shift: int = 0) -> None:
    """Complete so many questionnaires with `ANSWERS`, moved by `shift`; a new rater once one runs out."""
    rater = make_rater(batch, simulated=simulated)
    for _ in range(completions):
        assignment = claim_questionnaire(rater=rater, now=NOW)
        if assignment is None:
            rater = make_rater(batch, simulated=simulated)
            assignment = claim_questionnaire(rater=rater, now=NOW)
        placements = assignment.placements.select_related("item__system")
        answers = {place.code: _answer(place.item.system, shift) for place in placements}
        assert submit_questionnaire(assignment=assignment, answers=answers, now=NOW).complete


def _answer(system: object, shift: int) -> int:
    name = None if system is None else system.name
    return min(6, max(1, ANSWERS[name] + shift))
