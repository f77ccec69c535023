"""Asking for a report: the list, the form, another try, and the commands that see to what waits."""

import html
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from survey_site.corpus.models import Corpus
from survey_site.reports import tasks
from survey_site.reports.models import Report
from survey_site.reports.services import build_report
from survey_site.scoring.models import JobStatus, RatingSet
from survey_site.survey.models import Rating
from survey_site.survey.rating_rows import count_pairs_by_ratings
from tests.factories.batches import NOW, make_batch
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch, make_scored_corpus

pytestmark = pytest.mark.django_db


def page_text(response):
    return html.unescape(response.content.decode())


def url(name, report, **query):
    return reverse(f"reports:{name}", args=[report.pk], query=query)


@pytest.fixture
def sent(monkeypatch):
    """Ids of the reports handed to the workers."""
    ids = []
    monkeypatch.setattr(tasks.build_report_task, "delay", ids.append)
    return ids


def form_data(on_batch, **changes):
    return {
        "batch": on_batch.pk,
        "measures": ["rouge-l", "jsd"],
        "surrogates": ["rouge-l"],
        "normalise": "document",
        "min_raters": "",
        "beta": "1.7",
        "alpha": "3",
        "gamma": "4",
        "p_acc_alpha": "0.5",
        "p_acc_beta": "1",
        "mode": "paper",
        "preprocess": "",
        "resamples": "2000",
        "seed": "7",
        "resampled": "documents",
        "adjustment": "holm",
    } | changes


@pytest.mark.parametrize("name", ["list", "new"])
def test_the_list_and_the_form_ask_for_a_login(name):
    assert Client().get(reverse(f"reports:{name}")).status_code == 302


def test_a_visitor_cannot_request_or_retry(sent):
    report = make_report(measures=["bleu:n=many"], surrogates=["bleu:n=many"])
    for address in (reverse("reports:new"), url("retry", report)):
        response = Client().post(address, form_data(report.batch))
        assert response.url == f"{reverse('accounts:login')}?next={address}"
    assert (Report.objects.get().status, sent) == (JobStatus.FAILED, [])


def test_an_empty_list_says_what_a_report_needs(researcher_client):
    text = page_text(researcher_client.get(reverse("reports:list")))
    assert "A report needs a batch that raters have worked on." in text
    make_batch(corpus=make_scored_corpus())
    text = page_text(researcher_client.get(reverse("reports:list")))
    assert "A report sets the scores of automatic measures beside what raters said." in text


@pytest.mark.parametrize("reports", [1, 3])
def test_the_list_costs_the_same_for_any_number_of_reports(
    reports, researcher_client, django_assert_num_queries
):
    for _ in range(reports):
        make_report(built=False)
    with django_assert_num_queries(8):
        response = researcher_client.get(reverse("reports:list"))
    assert page_text(response).count("Waiting</span>") == reports


def test_a_request_is_stored_and_sent_to_the_workers_on_commit(
    researcher, researcher_client, sent, django_capture_on_commit_callbacks
):
    batch = make_rated_batch()
    with django_capture_on_commit_callbacks(execute=True):
        response = researcher_client.post(
            reverse("reports:new"), form_data(batch, preprocess="pens", tokeniser="char")
        )
        assert sent == []
    report = Report.objects.get()
    assert (response.status_code, response.url) == (302, report.get_absolute_url())
    assert (report.status, report.created_by, sent) == (JobStatus.QUEUED, researcher, [report.pk])
    assert report.options == {
        "measures": ["rouge-l", "jsd"],
        "surrogates": ["rouge-l"],
        "normalise": "document",
        "min_raters": 2,
        "beta": 1.7,
        "edp_readers": "document",
        "alpha": 3.0,
        "gamma": 4.0,
        "p_acc_alpha": 0.5,
        "p_acc_beta": 1.0,
        "mode": "paper",
        "preprocess": "pens",
        "tokeniser": "char",
        "resamples": 2000,
        "seed": 7,
        "resampled": "documents",
        "adjustment": "holm",
        "coefficients": ["pearson", "spearman", "kendall"],
        "families": {},
        "level": 0.95,
    }


def test_stability_with_replacement_is_ticked_on_the_form(researcher_client, sent):
    response = researcher_client.get(reverse("reports:new"))
    assert "Stability: draw documents with replacement" in page_text(response)
    researcher_client.post(reverse("reports:new"), form_data(make_rated_batch(), stability_replacement="on"))
    assert Report.objects.get().options["stability_replacement"] is True


def test_requesting_a_report_that_is_there_opens_it(
    researcher_client, sent, django_capture_on_commit_callbacks
):
    report = make_report(seed=7)
    with django_capture_on_commit_callbacks(execute=True):
        response = researcher_client.post(reverse("reports:new"), form_data(report.batch), follow=True)
    assert "There was a report on exactly these inputs: this is it." in page_text(response)
    assert (Report.objects.count(), sent) == (1, [])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"measures": []}, "This field is required."),
        ({"surrogates": ["rouge-9"]}, "rouge-9 is not one of the available choices."),
        ({"min_raters": "9"}, "give a number from 1 to 2"),
        ({"beta": "inf"}, "Enter a number."),
        ({"batch": ""}, "This field is required."),
    ],
)
def test_a_form_that_makes_no_sense_says_where(changes, message, researcher_client, sent):
    response = researcher_client.post(reverse("reports:new"), form_data(make_rated_batch(), **changes))
    assert response.status_code == 422
    assert message in page_text(response)
    assert (Report.objects.count(), sent) == (0, [])


def test_missing_texts_are_explained_beside_the_choice(researcher_client):
    batch = make_rated_batch(corpus=make_scored_corpus(bodies=False))
    response = researcher_client.post(reverse("reports:new"), form_data(batch))
    assert response.status_code == 422
    assert "3 documents of “News” have no text" in page_text(response)
    assert response.context["form"].errors.keys() == {"normalise"}


def test_a_draft_is_not_offered_and_the_wanted_batch_is_chosen(researcher_client):
    draft = make_batch(corpus=make_scored_corpus(), launched=False, name="Draft")
    live = make_batch(corpus=make_scored_corpus(), name="Live")
    text = page_text(researcher_client.get(reverse("reports:new", query={"batch": live.pk})))
    assert f'<option value="{live.pk}" selected>Live (News, live)</option>' in text
    assert draft.name not in text


def test_a_failed_report_says_why_and_can_be_tried_again(
    researcher_client, sent, django_capture_on_commit_callbacks
):
    report = make_report(measures=["bleu:n=many"], surrogates=["bleu:n=many"])
    text = page_text(researcher_client.get(url("detail", report)))
    assert "'n' of measure 'bleu' is 'many'" in text
    with django_capture_on_commit_callbacks(execute=True):
        response = researcher_client.post(url("retry", report))
    assert (response.url, sent) == (report.get_absolute_url(), [report.pk])
    assert Report.objects.get().status == JobStatus.QUEUED
    assert "No worker has taken this up yet" not in page_text(researcher_client.get(url("detail", report)))


def test_an_older_report_stays_beside_a_newer_one(researcher_client):
    batch = make_rated_batch()
    make_report(batch=batch)
    make_report(batch=batch, beta=1.0, now=NOW + timedelta(days=1))
    text = page_text(researcher_client.get(reverse("reports:list")))
    assert text.count('<span class="badge badge--ok">Done</span>') == 2


def test_the_command_builds_what_waits(capsys):
    report = make_report(built=False)
    call_command("build_reports")
    assert Report.objects.get().status == JobStatus.DONE
    assert capsys.readouterr().out == f"{report}: done\n"
    call_command("build_reports")
    assert capsys.readouterr().out == "No report waits.\n"


def test_the_command_hands_lost_work_to_the_workers_again(sent, capsys, django_capture_on_commit_callbacks):
    report = make_report(built=False)
    build_report(report=make_report())
    with django_capture_on_commit_callbacks(execute=True):
        call_command("requeue_stale")
    assert sent == [report.pk]
    assert capsys.readouterr().out == "Handed to the workers: 1 reports, 0 score runs.\n"


def test_a_report_asked_for_too_early_is_refused_and_built_with_what_is_there(researcher_client, sent):
    """One rater has been through three questionnaires, so no pair has the two ratings that are planned."""
    batch = make_rated_batch(completions=3)
    pairs = f"{3 * batch.systems.count()} pairs have 1 rating"
    shown = page_text(researcher_client.get(reverse("reports:new"), {"batch": batch.pk}))
    assert f"So far in “{batch.name}”: {pairs}. A pair needs 2, unless you ask for fewer below." in shown
    assert "Build it with" not in shown
    response = researcher_client.post(reverse("reports:new"), form_data(batch))
    assert response.status_code == 422
    text = page_text(response)
    assert f"No pair of a system's texts has 2 ratings yet: so far {pairs}." in text
    assert 'name="fewer" value="1" form="new-report">Build it with 1 rating a pair</button>' in text
    assert (Report.objects.count(), RatingSet.objects.count(), sent) == (0, 0, [])
    data = form_data(batch) | {"min_raters": "", "fewer": "1"}  # the empty field, and the button
    assert researcher_client.post(reverse("reports:new"), data).status_code == 302
    assert Report.objects.get().options["min_raters"] == 1


def test_some_pairs_with_enough_ratings_are_enough(researcher_client, sent):
    batch = make_rated_batch(completions=batch_size() + 1)
    counts = count_pairs_by_ratings(batch)
    assert list(counts) == [1, 2]
    assert sum(counts.values()) == batch.systems.count() * batch.questionnaires.count()
    assert researcher_client.post(reverse("reports:new"), form_data(batch)).status_code == 302


def test_more_ratings_than_the_batch_plans_are_refused_and_what_is_there_is_offered(researcher_client, sent):
    batch = make_rated_batch(completions=3)
    address = reverse("reports:new")
    response = researcher_client.post(address, form_data(batch) | {"min_raters": "5"})
    assert response.status_code == 422
    text = page_text(response)
    assert "This batch plans 2 raters a pair: give a number from 1 to 2. So far " in text
    assert 'name="fewer" value="1" form="new-report">Build it with 1 rating a pair</button>' in text
    Rating.objects.all().delete()
    nothing = page_text(researcher_client.post(address, form_data(batch) | {"min_raters": "5"}))
    assert "give a number from 1 to 2." in nothing
    assert "Build it with" not in nothing


def batch_size():
    """How many questionnaires a batch on the scored corpus has."""
    return make_batch(corpus=make_scored_corpus(), systems_per_questionnaire=3).questionnaires.count()


def test_gold_pairs_alone_are_no_reason_to_begin(researcher_client):
    batch = make_rated_batch(completions=2)
    Rating.objects.filter(assignment_item__item__system__isnull=False).delete()
    assert count_pairs_by_ratings(batch) == {}
    text = page_text(researcher_client.post(reverse("reports:new"), form_data(batch)))
    assert "has 2 ratings yet: only gold pairs have ratings." in text
    assert "Build it with" not in text


def test_the_list_says_what_each_report_answers_and_which_lacks_a_part(researcher_client):
    whole = make_report()
    part = make_report(batch=whole.batch, measures=["rouge-l", "bleu:n=many"])
    make_report(batch=whole.batch, built=False, seed=9)
    rows = {row.report.pk: row for row in researcher_client.get(reverse("reports:list")).context["listed"]}
    assert rows[whole.pk].answer == whole.read().answer.headline != ""
    assert {row.report.is_done: row.answer == "" for row in rows.values()} == {True: False, False: True}
    assert {pk for pk, row in rows.items() if row.is_incomplete} == {part.pk}
    text = page_text(researcher_client.get(reverse("reports:list")))
    assert text.count('<span class="badge badge--warn">Incomplete</span>') == 1
    assert text.count('<span class="badge badge--ok">Done</span>') == 1
    assert whole.read().answer.headline in text
    assert "2 measures with 1 surrogate; pairs with 2 ratings or more" in text


@pytest.mark.parametrize(
    ("query", "batches"),
    [
        ("", ["alpha", "gamma", "beta"]),
        ("?sort=oldest", ["beta", "gamma", "alpha"]),
        ("?sort=batch", ["alpha", "beta", "gamma"]),
        ("?q=GAM", ["gamma"]),
        ("?q=books", ["gamma"]),
        ("?state=failed", ["beta"]),
        ("?state=done", []),
    ],
)
def test_the_list_is_narrowed_and_ordered(researcher_client, query, batches):
    for name, corpus in {"beta": "News", "gamma": "Books", "alpha": "News"}.items():
        report = make_report(batch=make_rated_batch(name=name), built=False)
        Corpus.objects.filter(pk=report.batch.corpus_id).update(name=corpus)
    Report.objects.filter(batch__name="beta").update(status="failed")
    response = researcher_client.get(reverse("reports:list") + query)
    assert [row.report.batch.name for row in response.context["listed"]] == batches
    assert ("No report matches." in page_text(response)) == (batches == [])
