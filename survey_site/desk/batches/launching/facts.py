"""What the checks before a launch read of a draft, gathered from its plan and from how people take part."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from meta_eval.corpus.documents import GOLD
from meta_eval.corpus.same_texts import group_authors
from meta_eval.design.plan import SurveyPlan, TextSource
from meta_eval.design.telling import Pair, Telling, tell_gold
from meta_eval.stats.raters.precision import Assumptions, simulate_precision
from survey_site.batches.controls import texts_on
from survey_site.batches.equal_pairs import equal_key
from survey_site.batches.launch_rules import (
    LEAST_SYSTEMS,
    MANY_OF_ONE_TEXT,
    EqualPairs,
    Expected,
    LaunchFacts,
)
from survey_site.batches.models import Batch
from survey_site.batches.planning import plan_batch
from survey_site.batches.queries import batch_effort
from survey_site.common.languages import language
from survey_site.common.moments import in_words
from survey_site.survey.models import Entry, Participation
from survey_site.survey.pair_texts import shown_texts
from survey_site.survey.people.participation import unwritten_parts
from survey_site.survey.people.study import missing_facts


def gather_facts(
    batch: Batch, participation: Participation, *, previewed: bool, rate: float | None, now: datetime
) -> LaunchFacts:
    """All that the rules of `launch_rules` ask about a draft."""
    systems = batch.systems.count()
    planned = read_planned_texts(batch, plan_batch(batch))
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
        equal=count_equal_pairs(planned),
        equal_pairs_once=batch.equal_pairs_once,
        same_texts=planned.same_texts,
        telling=planned.telling,
        one_typography=batch.one_typography,
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


@dataclass(frozen=True)
class PlannedTexts:
    """The texts of a plan's pairs as raters see them: `pages`, each with the two texts of every author.

    `same_texts`: who wrote the same on the planned documents.
    """

    pages: tuple[Mapping[str, Pair], ...]
    originals: tuple[Mapping[str, Pair], ...]
    same_texts: tuple[tuple[str, ...], ...]
    telling: Telling | None


def read_planned_texts(batch: Batch, plan: SurveyPlan) -> PlannedTexts:
    """What the checks of texts read of a plan; two queries."""
    keys = {one.document for one in plan.questionnaires}
    names = list(batch.systems.values_list("name", flat=True))
    texts = texts_on(batch.corpus_id, keys, names)
    written: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for source, text in texts.items():
        written[source.author][source.document, source.reader] = text
    originals = tuple(
        {
            author: (
                texts[TextSource(one.document, author, one.reader_a)],
                texts[TextSource(one.document, author, one.reader_b)],
            )
            for author in (GOLD, *one.systems)
        }
        for one in plan.questionnaires
    )
    pages = tuple({author: shown_texts(batch, pair) for author, pair in page.items()} for page in originals)
    places = [(one.document, one.reader_a, one.reader_b) for one in plan.questionnaires]
    once = {
        (at, author): pair for at, page in zip(places, pages, strict=True) for author, pair in page.items()
    }
    return PlannedTexts(
        pages,
        originals,
        tuple(group_authors(written)),
        tell_gold(
            [pair for (_, author), pair in once.items() if author == GOLD],
            [pair for (_, author), pair in once.items() if author != GOLD],
        ),
    )


def count_equal_pairs(planned: PlannedTexts) -> EqualPairs:
    """How often raters will meet the same two texts on one page, and one text twice."""
    pairs = again = spared = look_alike = 0
    of_author, same = Counter[str](), Counter[str]()
    for page, originals in zip(planned.pages, planned.originals, strict=True):
        shown = Counter(map(equal_key, page.values()))
        pairs += shown.total()
        again += sum(count for count in shown.values() if count > 1)
        spared += sum(count - 1 for count in shown.values())
        of_author.update(page.keys())
        equal = [author for author, (first, second) in page.items() if first == second]
        same.update(equal)
        look_alike += sum(len(set(originals[author])) > 1 for author in equal)
    many = tuple(one for one in sorted(of_author) if same[one] > MANY_OF_ONE_TEXT * of_author[one])
    return EqualPairs(pairs, again, same.total(), spared, many, look_alike)
