"""Two reports side by side: differences where numbers are made alike, a mark with the reason where not."""

import html
import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from meta_eval.report.limits import limits_of_report
from survey_site.reports.comparison import Pair, compare_reports
from survey_site.reports.models import Report
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_two_reports)


def make_two_reports():
    """The same batch with all its pairs, and with one measure more and another beta."""
    batch = make_rated_batch()
    return make_report(batch=batch), make_report(batch=batch, measures=["rouge-l", "bleu"], beta=1.0)


@pytest.fixture
def reports(made_once, db):
    return [Report.objects.get(pk=report.pk) for report in made_once]


def page(client, **query):
    return client.get(reverse("reports:compare", query=query))


def test_what_was_asked_differently_is_listed(reports):
    found = compare_reports(reports[0].read(), reports[1].read(), "degress")
    assert [(row.section, row.name, row.a, row.b) for row in found.differences] == [
        ("options", "beta", 1.7, 1.0),
        ("options", "measures", "ROUGE-L, Jensen-Shannon", "ROUGE-L, BLEU"),
    ]


def test_scores_made_alike_are_subtracted_and_others_say_why_not(reports):
    found = compare_reports(reports[0].read(), reports[1].read(), "degress")
    reasons = {(pair.labels[0], pair.labels[1]): pair.why for pair in found.scores}
    assert reasons == {
        ("human", "rouge-l"): None,
        ("automatic", "rouge-l"): None,
    }
    assert [(row.what, row.of, row.names) for row in found.alone] == [
        ("measures", "a", ("Jensen-Shannon",)),
        ("measures", "b", ("BLEU",)),
    ]
    assert {pair.difference for pair in found.scores} == {0.0}


def test_what_either_report_says_of_its_numbers_stands_on_the_page(reports, researcher_client):
    first, second = (report.read() for report in reports)
    other = replace(second, inference=replace(second.inference, limits=("of the second alone",)))
    said = limits_of_report(first)
    assert list(compare_reports(first, other, "degress").limits) == [*said, "of the second alone"]
    response = page(researcher_client, a=reports[0].pk, b=reports[1].pk, score="degress")
    assert said
    listed = "</li><li>".join(said)
    assert f"<li>{listed}</li>" in html.unescape(response.content.decode())


def test_another_beta_makes_perseval_another_number(reports):
    found = compare_reports(reports[0].read(), reports[1].read(), "perseval")
    assert {pair.why for pair in found.scores if pair.labels[1] == "rouge-l"} == {"beta differs"}
    assert {pair.why for pair in found.coefficients if pair.labels[1] == "rouge-l"} == {"beta differs"}


def test_another_penalty_of_people_makes_their_perseval_another_number(reports):
    result = reports[0].read()
    other = replace(result, options={**result.options, "edp_readers": "rated"})
    found = compare_reports(result, other, "perseval")
    why = {(pair.labels[0], pair.why) for pair in found.scores}
    assert why == {("human", "the penalty compares other readers"), ("automatic", None)}
    assert {pair.why for pair in found.coefficients} == {"the penalty compares other readers"}
    assert {pair.why for pair in compare_reports(result, other, "degress").scores} == {None}


def test_other_signatures_mark_scores_and_every_coefficient_that_rests_on_them():
    batch = make_rated_batch()
    prepared = make_report(batch=batch, preprocess="pens")
    found = compare_reports(make_report(batch=batch).read(), prepared.read(), "degress")
    assert {pair.why for pair in found.scores} == {
        "the signatures of rouge-l differ",
        "the signatures of jsd differ",
    }
    assert all(pair.difference is None for pair in found.coefficients)
    assert found.incomparable == len(found.ranking) + len(found.scores) + len(found.coefficients)


def test_the_difference_is_the_second_less_the_first(reports):
    result = reports[0].read()
    moved = replace(
        result, leaderboard=tuple(replace(row, value=row.value + 0.25) for row in result.leaderboard)
    )
    found = compare_reports(result, moved, "egises")
    assert [pair.difference for pair in found.scores] == pytest.approx([0.25] * len(found.scores))


def test_scores_that_did_not_move_are_counted_and_hashes_are_short(reports):
    result = reports[0].read()
    first, *rest = result.leaderboard
    kind = first.score.removesuffix("_hj")
    moved = replace(
        result,
        leaderboard=(replace(first, value=first.value + 0.25), *rest),
        ratings={**result.ratings, "hash": "f" * 64},
    )
    found = compare_reports(result, moved, kind)
    assert [pair.labels[2] for pair in found.moved] == [first.system]
    assert found.unmoved == len(found.scores) - 1
    assert [(row.name, row.b) for row in found.differences] == [("hash", "ffffffffffff …")]


def test_the_page_shows_both_reports(admin_client, reports):
    a, b = reports
    text = html.unescape(page(admin_client, a=a.pk, b=b.pk, score="perseval").content.decode())
    assert f'What differs between <a href="{a.get_absolute_url()}">No. {a.pk}</a>' in text
    assert "beta differs" in text
    assert f"Only No. {a.pk} has the measures Jensen-Shannon" in text
    assert f"Only No. {b.pk} has the measures BLEU" in text
    answer = a.result["answer"]
    assert (
        f"</a>: {answer['headline']}</h3><p>{answer['sentence'].removeprefix(answer['headline']).strip()}</p>"
        in text
    )


def test_without_both_reports_there_is_the_form_alone(admin_client, reports):
    response = page(admin_client, a=reports[0].pk)
    assert response.status_code == 200
    assert "comparison" not in response.context
    assert f'<option value="{reports[0].pk}" selected>' in response.content.decode()


def test_an_unfinished_report_cannot_be_chosen(admin_client, reports):
    unfinished = make_report(batch=reports[0].batch, built=False, beta=2.0)
    response = page(admin_client, a=reports[0].pk, b=unfinished.pk)
    assert response.context["form"].errors.keys() == {"b"}


def test_the_page_is_about_the_score_that_its_form_shows(reports, admin_client):
    text = page(admin_client, a=reports[0].pk, b=reports[1].pk).content.decode()
    (first,) = re.findall(r'<select name="score".*?<option value="(\w+)"', text, re.DOTALL)
    assert first == "degress"
    assert "Agreement with the raters by DEGRESS" in text


def test_long_values_and_limits_are_folded(reports, admin_client):
    long = "system: " + "signature|" * 30
    for report, value in zip(reports, (long, "short"), strict=True):
        report.result["subject"]["batch"] = value
        report.save()
    text = html.unescape(page(admin_client, a=reports[0].pk, b=reports[1].pk).content.decode())
    assert f"<details><summary>{long[:59]}…</summary>{long}</details>" in text
    assert re.search(rf'<td data-head="No. {reports[1].pk}">\s*short\s*</td>', text)
    assert "What limits the numbers of each report</summary>" in text


def test_the_page_asks_for_a_login():
    address = reverse("reports:compare")
    assert Client().get(address).url == f"{reverse('accounts:login')}?next={address}"


def test_the_interval_of_a_difference_is_that_of_independent_estimates():
    """Zou 2007: by hand, 0.7 (0.5 to 0.8) less 0.4 (0.1 to 0.8) is 0.3, less 0.447, plus 0.316."""
    pair = Pair(("rouge-l",), 0.4, 0.7, None, (0.1, 0.8), (0.5, 0.8))
    assert pair.difference_interval == pytest.approx((0.3 - 0.2**0.5, 0.3 + 0.1**0.5))
    assert replace(pair, why="beta differs").difference_interval is None
    assert replace(pair, a_interval=None).difference_interval is None


def test_coefficients_and_the_ranking_stand_with_the_intervals_of_both_reports(reports):
    a = reports[0].read()
    found = compare_reports(a, a, "degress")
    rows = {
        (row.coefficient, row.measure, row.surrogate): row
        for row in a.correlations
        if row.automatic == "degress" and row.ci_low is not None
    }
    assert {pair.labels: pair.b_interval for pair in found.coefficients if pair.b_interval} == {
        key: (row.ci_low, row.ci_high) for key, row in rows.items()
    }
    assert [pair.a for pair in found.ranking] == [row.estimate for row in a.inference.ranking]
    assert (found.differences, found.alone, found.incomparable) == ((), (), 0)


def test_an_exclusion_shows_as_a_note_and_in_the_counts(reports):
    a = reports[0].read()
    first, *rest = a.left_out
    note = "2 completed questionnaires excluded by an admin: bots"
    after = replace(a, notes=(*a.notes, note), left_out=(replace(first, count=first.count + 1), *rest))
    found = [
        (row.section, row.name, row.a, row.b) for row in compare_reports(a, after, "degress").differences
    ]
    assert found == [
        ("left out", first.why.partition(";")[0], first.count, first.count + 1),
        ("notes", note, "no", "yes"),
    ]


def test_what_differs_is_said_in_words_and_first(reports, researcher_client):
    first = reports[0].read()
    changes = {
        "subject": {**first.subject, "frozen_at": "2026-11-22T00:40:06.606824+00:00"},
        "options": {**first.options, "min_raters": 7},
        "left_out": tuple(
            replace(row, count=row.count + (row.what == "pairs_unrated")) for row in first.left_out
        ),
    }
    found = {
        row.name: (row.a, row.b)
        for row in compare_reports(first, replace(first, **changes), "degress").differences
    }
    unrated = next(row.count for row in first.left_out if row.what == "pairs_unrated")
    assert found == {
        "when it was frozen": (None, "22 November 2026, 00:40 (UTC)"),
        "ratings that a pair needs": (first.options["min_raters"], 7),
        "planned pairs that nobody has rated yet": (unrated, unrated + 1),
    }
    text = page(researcher_client, a=reports[0].pk, b=reports[1].pk).content.decode()
    assert text.index('id="differs"') < text.index('id="answers"')


def test_what_both_reports_lack_has_no_empty_table(reports, researcher_client):
    result = {**reports[1].result, "leaderboard": [], "correlations": []}
    Report.objects.filter(pk=reports[1].pk).update(result=result)
    text = page(researcher_client, a=reports[0].pk, b=reports[1].pk, score="degress").content.decode()
    assert "No coefficient by DEGRESS stands in both reports." in text
    assert ('id="coefficients"' in text, 'id="scores"' in text) == (False, False)
