"""The facts of a study: on the first page, and named where they are missing."""

import pytest

from survey_site.batches.services import launch_batch
from survey_site.survey.models import Participation, Rater
from survey_site.survey.pages.steps import SurveyStep, step_of
from survey_site.survey.people.participation import (
    ParticipationSettings,
    read_participation,
    save_participation,
)
from survey_site.survey.people.study import missing_facts, study_facts
from tests.factories.batches import NOW, make_batch
from tests.survey_site.survey.pages.test_pages import start
from tests.survey_site.survey.people.test_ways_in import url

FACTS = {
    "researchers": "Ada Lovelace, Castrow University",
    "contact": "study@example.org",
    "approval": "2026-114",
    "kept_for": "Ten years",
}
LABELS = ["Who runs this study", "Contact", "Approval number", "How long answers are kept"]


def make_study(**settings):
    batch = make_batch(launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(**settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)


def test_what_nobody_filled_in_is_listed_in_the_order_of_the_page():
    assert missing_facts(Participation()) == LABELS
    assert missing_facts(Participation(**FACTS | {"contact": "  "})) == ["Contact"]
    assert missing_facts(Participation(**FACTS)) == []


@pytest.mark.django_db
def test_the_first_page_says_who_asks_and_links_the_contact(client):
    batch = make_study(**FACTS)
    facts = study_facts(batch, read_participation(batch))
    assert [(one.label, one.text.words) for one in facts] == list(zip(LABELS, FACTS.values(), strict=True))
    page = client.get(url("join", batch)).content.decode()
    assert '<a href="mailto:study@example.org">study@example.org</a>' in page
    for words in (*LABELS, *FACTS.values()):
        assert words in page


@pytest.mark.django_db
def test_what_is_not_said_leaves_no_empty_line(client):
    page = client.get(url("join", make_study(approval="2026-114"))).content.decode()
    assert [label for label in LABELS if label in page] == ["Approval number"]


@pytest.mark.django_db
def test_time_and_pairs_are_said_before_anything_else(client):
    page = client.get(url("join", make_study())).content.decode()
    said = [page.index(words) for words in ("about 1 minute", "3 pairs", "stop any time", "What you will do")]
    assert said == sorted(said)


@pytest.mark.django_db
@pytest.mark.parametrize(("asks", "kept"), [(False, ""), (True, "Ada")])
def test_a_name_is_asked_for_where_the_batch_says_so(client, asks, kept):
    batch = make_study(asks_name=asks)
    assert (b'name="name"' in client.get(url("join", batch)).content) is asks
    start(client, batch, name="Ada")
    assert Rater.objects.get().name == kept


def test_steps_are_counted_where_there_are_several():
    assert step_of("join", Participation()) is None
    everything = Participation(questions=["age"], practice=True)
    assert [step_of(page, everything) for page in ("join", "about", "practice")] == [
        SurveyStep(1, 3),
        SurveyStep(2, 3),
        SurveyStep(3, 3),
    ]
    assert step_of("practice", Participation(practice=True)) == SurveyStep(2, 2)
    assert step_of("about", Participation(practice=True)) is None


@pytest.mark.django_db
def test_each_page_of_the_way_in_says_which_step_it_is(client):
    batch = make_study(questions=["age"], practice=True)
    about = start(client, batch).url
    assert "Step 2 of 3" in client.get(about).content.decode()
    practice = client.post(about, {}).url
    assert "Step 3 of 3" in client.get(practice).content.decode()
