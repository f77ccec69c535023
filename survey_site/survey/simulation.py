"""Raters made up by a program, for demonstrations and trials, and marked so in every table and export.

They use the same services as people, so what they leave behind is what people would.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from random import Random

from meta_eval.measures import Measure, make_measure
from survey_site.batches.models import Batch
from survey_site.batches.states import AssignmentState, Scale
from survey_site.common.errors import InvalidInputError
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.pages.questionnaire import PairView, assignment_view
from survey_site.survey.people.joining import join_batch
from survey_site.survey.rating.services import claim_questionnaire, save_ratings, submit_questionnaire
from survey_site.survey.rating.validators import HIGHEST, LOWEST

Judge = Callable[[str, str], float]
"""How similar two texts are to an ideal rater: 0 nothing in common, 1 the same."""

Progress = Callable[[int, int], None]
"""Called after each questionnaire with how many are completed and how many shall be."""

SEVERITY_SD = 0.4  # how far one rater's use of the scale is shifted, in scale points
NOISE_SD = 0.6  # how far one answer strays, in scale points


@dataclass(frozen=True)
class SimulationResult:
    """What one call did: raters at work, questionnaires completed, ratings given."""

    raters: int
    questionnaires: int
    ratings: int


@dataclass(frozen=True)
class _Person:
    rater: Rater
    name: str
    severity: float
    careless: bool


@cache
def _overlap_measure() -> Measure:
    return make_measure("rouge-l")


def judge_by_overlap(text_a: str, text_b: str) -> float:
    """Similarity as ROUGE-L sees it: shared words in the same order."""
    return 1.0 - _overlap_measure()(text_a, text_b)


def simulate_raters(
    *,
    batch: Batch,
    raters: int,
    completion: float,
    seed: int,
    now: datetime,
    careless: int = 0,
    judge: Judge = judge_by_overlap,
    progress: Progress | None = None,
) -> SimulationResult:
    """Let simulated raters complete questionnaires until the share `completion` of the batch is reached.

    They take turns, so that neighbouring questionnaires have different raters. The seed names them: calling
    again goes on with the same ones where the share is not reached, and does nothing where it is. Too few
    raters for the places of a questionnaire do what they can; the result says how much that was. The first
    `careless` of them rate at random, whatever the texts say.
    """
    _check(raters, completion)
    done, wanted = _count_completed(batch), round(completion * _count_slots(batch))
    numbers = range(raters) if done < wanted else ()
    crowd = [_join(batch, seed, number, now, careless=number < careless) for number in numbers]
    at_work, ratings, before = set(), 0, done
    while crowd and done < wanted:
        person = crowd.pop(0)
        assignment = claim_questionnaire(rater=person.rater, now=now)
        if assignment is None:
            continue
        ratings += _complete(assignment, person, batch, judge, now)
        crowd.append(person)
        at_work.add(person.rater.pk)
        done += 1
        if progress:
            progress(done, wanted)
    return SimulationResult(len(at_work), done - before, ratings)


def point_on_scale(latent: float, *, shift: float, scale: str) -> int:
    """The point 1..6 for a similarity 0..1, moved by `shift` points, in the direction of the scale."""
    span = HIGHEST - LOWEST
    position = LOWEST + span * min(max(latent, 0.0), 1.0) + shift
    similar = min(max(round(position), LOWEST), HIGHEST)
    return similar if scale == Scale.SIMILARITY else LOWEST + HIGHEST - similar


def _check(raters: int, completion: float) -> None:
    if raters < 1:
        raise InvalidInputError(f"At least 1 simulated rater is needed, not {raters}.")
    if not 0 <= completion <= 1:
        raise InvalidInputError(f"The share to complete lies between 0 and 1, not at {completion}.")


def _count_slots(batch: Batch) -> int:
    return batch.questionnaires.count() * batch.raters


def _count_completed(batch: Batch) -> int:
    return Assignment.objects.filter(questionnaire__batch=batch, state=AssignmentState.SUBMITTED).count()


def _join(batch: Batch, seed: int, number: int, now: datetime, *, careless: bool) -> _Person:
    secret = f"simulated/{batch.token}/{seed}/{number}"
    rater = join_batch(batch=batch, secret=secret, simulated=True, now=now)
    name = f"{seed}/{number}"
    return _Person(rater, name, _seeded(name, "severity").gauss(0, SEVERITY_SD), careless)


def _complete(assignment: Assignment, person: _Person, batch: Batch, judge: Judge, now: datetime) -> int:
    """Rate every pair as it is shown, submit, and give the number of ratings.

    An answer depends on the person and the two texts, not on where the pair stands: order and sides come from
    the assignment's code, which is new in every run.
    """
    pairs = assignment_view(assignment).pairs
    for pair in pairs:
        value = _rate(pair, person, batch, judge)
        save_ratings(assignment=assignment, answers={pair.code: value}, now=now)
    submit_questionnaire(assignment=assignment, now=now)
    return len(pairs)


def _rate(pair: PairView, person: _Person, batch: Batch, judge: Judge) -> int:
    chance = _seeded(person.name, *sorted((pair.left, pair.right)))
    if person.careless:
        return chance.randint(LOWEST, HIGHEST)
    shift = person.severity + chance.gauss(0, NOISE_SD)
    return point_on_scale(judge(pair.left, pair.right), shift=shift, scale=batch.scale)


def _seeded(*parts: str) -> Random:
    return Random("/".join(parts))  # noqa: S311 - made-up people need reproducible chance, not secrecy
