"""Optional questions about a person: asked once, shown as totals from which nobody can be worked out."""

import re
from itertools import product

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from survey_site.batches.services import launch_batch
from survey_site.common.errors import GoneError, InvalidInputError
from survey_site.desk.taking_part.forms import ParticipationForm
from survey_site.survey.models import BackgroundAnswer
from survey_site.survey.people.background import background_totals, suppress_small_cells
from survey_site.survey.people.participation import (
    ParticipationSettings,
    open_questions,
    read_participation,
    save_background,
    save_participation,
)
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import make_rater


def make_asking_batch(*questions, **settings):
    batch = make_batch(launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(questions=questions, **settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)


def start(client, batch):
    page = client.get(reverse("survey:join", args=[batch.token])).content.decode()
    key = re.search(r'name="key" value="([^"]+)"', page)
    return client.post(reverse("survey:start", args=[batch.token]), {"key": key.group(1)} if key else {}).url


@pytest.mark.django_db
def test_questions_come_once_between_consent_and_the_first_questionnaire(client):
    batch = make_asking_batch("age", "gender")
    about = reverse("survey:about", args=[batch.token])
    assert start(client, batch) == about
    page = client.get(about).content.decode()
    assert ("How old are you?" in page, "field of study" in page) == (True, False)
    assert page.count("Prefer not to say") == 2
    assert "/q/" in client.post(about, {"age": "25 to 34", "gender": ""}).url
    stored = BackgroundAnswer.objects.values_list("question", "choice")
    assert sorted(stored) == [("age", "25 to 34"), ("gender", "")]
    assert "/q/" in start(client, batch)
    assert client.get(about).url == reverse("survey:join", args=[batch.token])
    assert "/q/" in client.post(about, {"age": "65 or older"}).url
    assert BackgroundAnswer.objects.get(question="age").choice == "25 to 34"


@pytest.mark.django_db
def test_an_answer_that_was_not_offered_is_refused(client):
    batch = make_asking_batch("field", fields_of_study="Law\n\n Art ")
    about = start(client, batch)
    assert client.post(about, {"field": "Engineering"}).status_code == 422
    assert BackgroundAnswer.objects.count() == 0
    assert client.post(about, {"field": "Art"}).status_code == 302
    with pytest.raises(InvalidInputError, match="Engineering"):
        save_background(rater=make_rater(batch), answers={"field": "Engineering"})


@pytest.mark.django_db
def test_the_page_belongs_to_somebody_who_joined(client):
    batch = make_asking_batch("age")
    about = reverse("survey:about", args=[batch.token])
    assert client.get(about).url == client.post(about).url == reverse("survey:join", args=[batch.token])


@pytest.mark.django_db
def test_staff_see_totals_with_small_cells_suppressed(researcher_client):
    batch = make_asking_batch("gender")
    for choice in ["Woman"] * 9 + ["Man"] * 7 + ["", ""]:
        save_background(rater=make_rater(batch), answers={"gender": choice})
    (totals,) = background_totals(batch, read_participation(batch))
    shown = {total.label: total.shown for total in totals.totals}
    assert shown == {
        "Woman": "9",
        "Man": "hidden",
        "Non-binary or another gender": "<5",
        "Prefer not to say": "<5",
    }
    page = researcher_client.get(reverse("batches:participation", args=[batch.pk])).content.decode()
    assert ("&lt;5" in page, ">7<" in page, ">2<" in page) == (True, False, False)
    assert open_questions(batch.people.first()) == ()


@pytest.mark.django_db
@pytest.mark.parametrize("answers", [[], ["Woman", "Man", ""]])
def test_the_page_says_that_too_few_have_answered(researcher_client, answers):
    batch = make_asking_batch("gender")
    for choice in answers:
        save_background(rater=make_rater(batch), answers={"gender": choice})
    page = researcher_client.get(reverse("batches:participation", args=[batch.pk]))
    assert page.status_code == 200
    assert "Too few answers to show totals." in page.content.decode()
    (totals,) = background_totals(batch, read_participation(batch))
    assert (totals.answered, totals.totals) == (0, ())


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ([9, 8, 7], ["9", "8", "7"]),
        ([20, 30, 1], ["20", "hidden", "<5"]),
        ([2, 3, 30], ["<5", "<5", "hidden"]),
        ([30, 2, 2, 2], ["30", "<5", "<5", "<5"]),
        ([4, 4, 0], ["<5", "<5", "<5"]),
        ([4, 4, 4], []),
        ([0, 1, 2], []),
        ([5, 1], []),
        ([5, 5, 1], []),
        ([5, 9, 1], ["5", "hidden", "<5"]),
        ([], []),
    ],
)
def test_suppression(counts, shown):
    assert suppress_small_cells(counts) == shown


@given(st.lists(st.integers(0, 12), min_size=2, max_size=5))
def test_from_sum_and_shown_cells_a_small_one_may_still_be_anything(counts):
    shown = suppress_small_cells(counts)
    ranges = [
        range(5) if cell == "<5" else range(5, 61) if cell == "hidden" else [int(cell)] for cell in shown
    ]
    small = [index for index, cell in enumerate(shown) if cell == "<5"]
    hidden = [index for index, cell in enumerate(shown) if cell == "hidden"]
    rest = sum(counts) - sum(int(cell) for cell in shown if cell.isdigit())
    sums_of_hidden = range(5 * len(hidden), 61) if hidden else [0]
    worlds = [
        values for values in product(*(ranges[i] for i in small)) if rest - sum(values) in sums_of_hidden
    ]
    assert [{world[i] for world in worlds} for i in range(len(small))] == [{0, 1, 2, 3, 4}] * len(small)


@pytest.mark.django_db
def test_who_has_withdrawn_is_asked_nothing_and_nothing_is_stored(client):
    batch = make_asking_batch("gender", "age")
    about = start(client, batch)
    client.post(reverse("survey:withdraw", args=[batch.token]))
    answers = {"gender": "Woman", "age": "25 to 34"}
    led_to = [
        client.get(about),
        client.post(about, answers),
        client.post(about.replace("about-you", "start")),
    ]
    assert [page.url for page in led_to] == [reverse("survey:done", args=[batch.token])] * 3
    with pytest.raises(GoneError):
        save_background(rater=batch.people.get(), answers=answers)
    assert BackgroundAnswer.objects.count() == 0


@pytest.mark.django_db
def test_a_field_of_study_that_could_not_be_stored_is_refused():
    fits, long = "x" * 100, "y" * 101
    batch = make_asking_batch("field", fields_of_study=f"Law\n {fits} ")
    save_background(rater=make_rater(batch), answers={"field": fits})
    assert BackgroundAnswer.objects.get().choice == fits
    with pytest.raises(InvalidInputError, match=r"100 characters.*yyy"):
        make_asking_batch("field", fields_of_study=f"Law\n{long}")
    form = ParticipationForm({"entry": "open", "panel_parameter": "PID", "fields_of_study": f"Law\n{long}"})
    assert list(form.errors) == ["fields_of_study"]
    assert "100 characters" in form.errors["fields_of_study"][0]
