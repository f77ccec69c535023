"""The scripts: the seed decides who does what, every role does what it is there for."""

import threading
from collections import Counter

import pytest
from django.utils import timezone

from survey_site.batches.services import launch_batch
from survey_site.common.limits import TooManyRequestsError
from survey_site.rehearsal import scripts as parts
from survey_site.rehearsal.chaos import PROCESS, SERVER, plan_chaos
from survey_site.rehearsal.crowd import Crowd
from survey_site.rehearsal.findings import Evidence
from survey_site.rehearsal.invariants import check_invariants
from survey_site.rehearsal.scripts import CROWD, FILLERS, Role, Script, plan_scripts
from survey_site.rehearsal.snapshot import read_snapshot
from survey_site.survey.models import Assignment, Rater, Rating, RatingHistory
from survey_site.survey.pages import access
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

LABELS = {
    Role.DOUBLE: {"double clicks": 4},
    Role.BACK: {"changes after submit": 2},
    Role.TABS: {"two tabs": 2},
    Role.SLOW: {"claims expired": 2},
}


def test_the_seed_decides_who_does_what():
    first, again, other = (plan_scripts(raters=40, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert [script.role for script in first] != [script.role for script in other]
    assert [script.chance.random() for script in first] == [script.chance.random() for script in again]
    assert len({script.chance.random() for script in first}) == 40


@pytest.mark.parametrize("raters", [6, 10, 40, 200])
def test_more_raters_race_than_places_come_free_and_some_are_the_crowd(raters):
    roles = Counter(script.role for script in plan_scripts(raters=raters, seed=3))
    assert sum(roles.values()) == raters
    assert roles[Role.RACER] > roles[Role.LATE] + roles[Role.LEAVER] >= 2
    assert sum(roles[role] for role in CROWD) >= 1


def test_forty_raters_play_every_role():
    assert {script.role for script in plan_scripts(raters=40, seed=0)} == set(Role)


def test_fewer_than_six_cannot_rehearse():
    with pytest.raises(ValueError, match="at least 6 raters, not 5"):
        plan_scripts(raters=5, seed=0)


def test_chaos_is_seeded_and_spread():
    blows = plan_chaos(seed=1, places=100)
    assert blows == plan_chaos(seed=1, places=100) != plan_chaos(seed=2, places=100)
    shares = [blow.share for blow in blows]
    assert shares == sorted(shares)
    assert (min(shares) > 0.05, max(shares) <= 0.9) == (True, True)
    assert Counter(blow.target for blow in blows) == {SERVER: 3, PROCESS: 2}
    assert Counter(blow.target for blow in plan_chaos(seed=1, places=16)) == {SERVER: 2, PROCESS: 1}


def rehearse_alone(role, address):
    """One rater of this role on a batch of two questionnaires."""
    batch = make_batch(corpus=make_corpus(documents=2))
    crowd = Crowd([Script(1, role, seed=7)], batch, address)
    crowd.perform(lambda: None)
    crowd.come_back()
    return batch, crowd.logbook


def told(batch, logbook):
    """What one rater did, without the codes that the site draws anew: requests, and values by position."""
    given = RatingHistory.objects.filter(assignment_item__assignment__questionnaire__batch=batch)
    place = ("assignment_item__assignment__questionnaire__number", "assignment_item__position")
    requests = sorted((one.action, str(one.status)) for one in logbook.exchanges)
    sent = sorted(sorted(write.value for write in writes) for writes in logbook.writes.values())
    return requests, sent, sorted({*given.values_list(*place)}), dict(logbook.events)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", sorted(FILLERS))
def test_a_rater_of_each_role_does_the_same_twice_and_all_of_it_is_kept(role, live_server):
    first, second = (rehearse_alone(role, live_server.url) for _ in range(2))
    assert told(*first) == told(*second)
    batch, logbook = first
    verdict = check_invariants(Evidence(read_snapshot(batch), logbook))
    assert verdict.violations == ()
    assert Rating.objects.filter(assignment_item__assignment__questionnaire__batch=batch).count() == 6
    assert len(logbook.submitted) == 2
    # Only where a script can put the address right does the questionnaire come at once.
    started = {one.status for one in logbook.exchanges if one.action == "start"}
    assert started & {200, 302} == {302 if role == Role.PLAIN else 200}
    assert dict(logbook.events).items() >= LABELS.get(role, {}).items()


@pytest.mark.django_db(transaction=True)
def test_questions_and_practice_are_passed_by(live_server):
    batch = make_batch(launched=False)
    wanted = ParticipationSettings(practice=True, questions=["age"])
    save_participation(batch=batch, settings=wanted, now=NOW)
    crowd = Crowd([Script(1, Role.DOUBLE, seed=7)], launch_batch(batch=batch, now=NOW), live_server.url)
    crowd.perform(lambda: None)
    actions = Counter(one.action for one in crowd.logbook.exchanges)
    assert (actions["pass by"] >= 4, len(crowd.logbook.submitted)) == (True, 2)
    assert crowd.logbook.failures == []
    assert crowd.logbook.events["double clicks"] == 6  # four of start and submit, one on each page passed by
    assert [one for one in crowd.logbook.exchanges if not one.expected] == []


@pytest.mark.django_db(transaction=True)
def test_who_is_asked_to_wait_tries_again(live_server, monkeypatch):
    refused = [TooManyRequestsError(1), TooManyRequestsError(1)]

    def check(**_request):
        if refused:
            raise refused.pop()

    monkeypatch.setattr(access, "check_posting", check)
    _, logbook = rehearse_alone(Role.NORMAL, live_server.url)
    statuses = Counter(one.status for one in logbook.exchanges)
    assert (statuses[429], len(logbook.submitted), logbook.failures) == (2, 2, [])
    assert [one for one in logbook.exchanges if not one.expected] == []


@pytest.mark.django_db(transaction=True)
def test_the_late_and_the_leaving_lose_their_places_to_those_who_race(live_server):
    batch = make_batch(corpus=make_corpus(documents=1), raters=3)
    roles = [Role.LATE, Role.LEAVER, Role.RACER, Role.RACER, Role.RACER, Role.NORMAL]
    crowd = Crowd([Script(number, role, 1) for number, role in enumerate(roles, 1)], batch, live_server.url)
    crowd.perform(lambda: None)
    crowd.come_back()
    snapshot = read_snapshot(batch)
    assert check_invariants(Evidence(snapshot, crowd.logbook)).violations == ()
    states = {min(crowd.logbook.claims[code]): claim.state for code, claim in snapshot.claims.items()}
    assert (states[1], states[2]) == ("surplus", "expired")
    assert sorted(states.values()) == ["expired", "submitted", "submitted", "submitted", "surplus"]
    assert dict(crowd.logbook.events) == {"claims expired": 2, "races won": 2, "races lost": 1}


@pytest.fixture
def one_who_has_done_one_of_two(live_server, monkeypatch):
    """A crowd of one, who has stopped after the first of a batch's two questionnaires."""
    monkeypatch.setattr(parts, "MOST_QUESTIONNAIRES", 1)
    batch = make_batch(corpus=make_corpus(documents=2))
    crowd = Crowd([Script(1, Role.NORMAL, seed=7)], batch, live_server.url)
    crowd.perform(lambda: None)
    return crowd


@pytest.mark.django_db(transaction=True)
def test_who_was_never_told_of_a_claim_finds_it_on_coming_back(one_who_has_done_one_of_two):
    crowd = one_who_has_done_one_of_two
    untold = claim_questionnaire(rater=Rater.objects.get(), now=timezone.now())
    assert untold.code not in crowd.logbook.claims
    crowd.come_back()
    assert crowd.logbook.claims[untold.code] == {1}
    assert {one.claim for one in crowd.logbook.returns} == set(crowd.logbook.claims)
    assert check_invariants(Evidence(read_snapshot(crowd.batch), crowd.logbook)).violations == ()


@pytest.mark.django_db(transaction=True)
def test_who_comes_back_and_has_nothing_open_claims_nothing(one_who_has_done_one_of_two):
    crowd = one_who_has_done_one_of_two
    crowd.come_back()
    assert Assignment.objects.filter(questionnaire__batch=crowd.batch).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_script_that_breaks_is_told_and_nobody_waits_for_it(live_server, monkeypatch):
    def break_down(*_arguments):
        raise RuntimeError("no paper left")

    monkeypatch.setitem(parts.FILLERS, Role.NORMAL, break_down)
    batch = make_batch(corpus=make_corpus(documents=2))
    crowd = Crowd([Script(1, Role.NORMAL, 1), Script(2, Role.LATE, 1)], batch, live_server.url)
    crowd.perform(lambda: None)
    assert crowd.logbook.failures == [(1, "RuntimeError: no paper left")]
    assert list(crowd.logbook.submitted) == crowd.logbook.claims_of(2)


@pytest.mark.django_db(transaction=True)
def test_an_interrupt_sends_everybody_home(live_server):
    def interrupt():
        raise KeyboardInterrupt

    before = set(threading.enumerate())
    crowd = Crowd(plan_scripts(raters=6, seed=1), make_batch(), live_server.url)
    with pytest.raises(KeyboardInterrupt):
        crowd.perform(interrupt)
    left = set(threading.enumerate()) - before
    assert [thread for thread in left if "_play" in thread.name] == []
    assert crowd.logbook.failures == []
