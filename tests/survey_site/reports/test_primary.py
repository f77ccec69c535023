"""A report on a batch with a declared primary coefficient goes by it, says when, and its bundle verifies."""

import io
from datetime import timedelta

import pytest

from meta_eval.publish.bundle import verify_bundle, write_bundle
from survey_site.batches.declaring import declare_primary
from survey_site.batches.models import Batch
from survey_site.batches.primary import PrimaryChoice
from survey_site.reports.bundles.content import bundle_content, report_datasheet
from survey_site.reports.comparison import compare_reports
from survey_site.reports.forms import ReportForm
from survey_site.reports.models import Report
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db
LATE = NOW + timedelta(days=2)
TAU_C = PrimaryChoice(coefficient="kendall-c", surrogate="rouge-l")


@pytest.fixture(scope="module")
def made_once(make_once):
    """Two reports on one batch: before anything was declared, and after a late declaration."""

    def make():
        batch = make_rated_batch()
        plain = make_report(batch=batch, resamples=1_000)
        declare_primary(batch=batch, choice=TAU_C, now=LATE)
        return plain, make_report(batch=batch, resamples=1_000)

    return make_once(make)


@pytest.fixture
def plain(made_once, db):
    return Report.objects.get(pk=made_once[0].pk)


@pytest.fixture
def declared(made_once, db):
    return Report.objects.get(pk=made_once[1].pk)


def test_the_report_takes_the_declaration_of_its_batch(plain, declared):
    assert "primary" not in plain.options
    assert declared.options["primary"]["coefficient"] == "kendall-c"
    assert declared.options["coefficients"] == ["pearson", "spearman", "kendall", "kendall-c"]
    result = declared.read()
    there = Batch.objects.get(pk=declared.batch_id).declarations.get()
    assert result.answer.declared.startswith(
        "Kendall's tau-c of DEGRESS with DEGRESS-HJ by ROUGE-L was declared as primary on 4 March 2026, "
        f"after {there.ratings} of {there.planned} ratings."
    )
    assert result.answer.coefficient == "kendall-c"
    tested = [row for row in result.correlations if row.p_max_t is not None]
    assert {(row.automatic, row.surrogate, row.coefficient) for row in tested} == {
        ("degress", "rouge-l", "kendall-c")
    }


def test_without_one_a_report_says_so(plain):
    assert plain.read().answer.declared.startswith("No primary coefficient was declared")


def test_the_page_shows_the_family_and_what_was_declared(researcher_client, declared):
    text = researcher_client.get(declared.get_absolute_url()).content.decode()
    assert 'id="primary"' in text
    assert "was declared as primary on 4 March 2026, after" in text
    assert text.count("p max-T</th>") == 2


def test_the_page_of_a_report_without_one_has_no_such_section(researcher_client, plain):
    text = researcher_client.get(plain.get_absolute_url()).content.decode()
    assert 'id="primary"' not in text
    assert "No primary coefficient was declared" in text


def test_its_bundle_verifies_and_its_plan_holds_the_declaration(declared):
    content = bundle_content(declared)
    assert content.plan["primary"] == declared.options["primary"]
    stream = io.BytesIO()
    write_bundle(stream, content)
    found = verify_bundle(stream)
    assert (found.files, found.differences) == ((), ())


def test_the_datasheet_answers_what_was_registered_and_leaves_the_rest_open(plain, declared):
    def answer(report):
        return next(one.answer for one in report_datasheet(report) if one.question.number == "3.3.1")

    assert answer(plain) is None
    found = answer(declared)
    assert (found.text, found.complete) == (declared.read().answer.declared, False)


def test_the_form_shows_what_each_batch_declares(declared):
    label = ReportForm(user=make_user())["batch"].as_widget()
    assert "DEGRESS-HJ by ROUGE-L, declared on 4 March 2026, after" in label


def test_two_reports_with_other_declarations_say_so_beside_each_other(plain, declared):
    found = compare_reports(plain.read(), declared.read(), "degress")
    (row,) = [row for row in found.differences if row.name == "primary coefficient"]
    assert (row.a, row.b) == ("none declared", declared.read().answer.declared)
    assert {pair.why for pair in found.ranking} == {"by another primary coefficient"}


def test_a_report_without_its_surrogate_says_that_it_has_none_of_it(declared):
    other = make_report(batch=declared.batch, resamples=1_000, surrogates=["jsd"])
    result = other.read()
    assert result.inference.primary is None
    assert result.answer.declared.endswith(
        "None of it is in this report: the report has no human scores by ROUGE-L. Every coefficient is "
        "exploratory."
    )
