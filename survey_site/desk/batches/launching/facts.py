"""What the checks before a launch read of a draft, gathered from its plan and from how people take part."""

from collections import Counter
from datetime import datetime

from meta_eval.corpus.documents import GOLD
from meta_eval.design.plan import SurveyPlan, TextSource
from meta_eval.stats.raters.precision import Assumptions, simulate_precision
from survey_site.batches.controls import texts_on
from survey_site.batches.equal_pairs import equal_key
from survey_site.batches.launch_rules import LEAST_SYSTEMS, EqualPairs, Expected, LaunchFacts
from survey_site.batches.models import Batch
from survey_site.batches.planning import plan_batch
from survey_site.batches.queries import batch_effort
from survey_site.common.languages import language
from survey_site.common.moments import in_words
from survey_site.survey.models import Entry, Participation
from survey_site.survey.people.participation import unwritten_parts
from survey_site.survey.people.study import missing_facts


def gather_facts(
    batch: Batch, participation: Participation, *, previewed: bool, rate: float | None, now: datetime
) -> LaunchFacts:
    """All that the rules of `launch_rules` ask about a draft."""
    systems = batch.systems.count()
    ended = batch.closes_at if batch.is_over(now) else None
    return LaunchFacts(
        systems=systems,
        raters=batch.raters,
        window_ended=in_words(ended) if ended else "",
        expected=_expected(batch, systems),
        effort=batch_effort(batch, limit=participation.limit),
        rate=rate,
        untold=missing_facts(participation),
        unwritten=_unwritten(batch, participation),
        way_in=_missing_on_the_way(batch, participation),
        equal=count_equal_pairs(batch, plan_batch(batch)),
        equal_pairs_once=batch.equal_pairs_once,
        previewed=previewed,
    )


def _expected(batch: Batch, systems: int) -> Expected | None:
    if systems < LEAST_SYSTEMS:
        return None
    tau = simulate_precision(
        Assumptions(),
        systems=systems,
        documents=batch.documents,
        reader_pairs=batch.reader_pairs,
        raters=batch.raters,
        seed=batch.seed,
    )["kendall"]
    return Expected(tau.expected, tau.low, tau.high)


def _unwritten(batch: Batch, participation: Participation) -> dict[str, list[str]]:
    missing = {
        language(code).english_name: unwritten_parts(batch, participation, code) for code in batch.languages
    }
    return {name: parts for name, parts in missing.items() if parts}


def _missing_on_the_way(batch: Batch, participation: Participation) -> list[str]:
    """Sentences on what keeps people from getting in, or from their code."""
    found = {
        "Only people with a personal link may take part, and no link is made yet.": (
            participation.entry == Entry.INVITATION and not participation.invitations
        ),
        "The code for failed checks is never shown: the plan has no control pairs.": (
            bool(participation.failed_code) and not any(batch.control_shares)
        ),
    }
    if participation.entry == Entry.PANEL:
        found |= {
            "Panel members who complete get no code.": not participation.completed_code,
            "Panel members who come too late get no code.": not participation.no_place_code,
            "No address of the panel takes the codes, so people have to copy them.": (
                not participation.return_address
            ),
        }
    return [sentence for sentence, missing in found.items() if missing]


def count_equal_pairs(batch: Batch, plan: SurveyPlan) -> EqualPairs:
    """How often raters will meet the same two texts on one page, and one text twice."""
    keys = {one.document for one in plan.questionnaires}
    names = list(batch.systems.values_list("name", flat=True))
    texts = texts_on(batch.corpus_id, keys, names)
    pairs = again = same = spared = 0
    for one in plan.questionnaires:
        readers = (one.reader_a, one.reader_b)
        shown = Counter(
            equal_key([texts[TextSource(one.document, author, reader)] for reader in readers])
            for author in (GOLD, *one.systems)
        )
        pairs += shown.total()
        again += sum(count for count in shown.values() if count > 1)
        spared += sum(count - 1 for count in shown.values())
        same += sum(count for texts_of_pair, count in shown.items() if len(texts_of_pair) == 1)
    return EqualPairs(pairs, again, same, spared)
