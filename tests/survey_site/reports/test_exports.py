"""What leaves the site: a bundle that verifies by itself, for researchers, without a secret of the site."""

import csv
import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from meta_eval.publish.bundle import verify_bundle
from meta_eval.publish.latex import latex_tables
from meta_eval.publish.tables import report_tables, table_csv
from meta_eval.publish.xlsx import write_xlsx
from survey_site.accounts.models import AuditEntry
from survey_site.quality.services import exclude_rater
from survey_site.reports.models import Report
from survey_site.scoring.models import JobStatus
from survey_site.survey.models import Assignment, Rater, Rating
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch, rate_batch
from tests.factories.survey import make_rater

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]

FIGURES = (
    *(f"{name}.{form}" for name in ("scatter", "heat-map-kendall") for form in ("svg", "png", "pdf")),
    *("heat-map-pearson.svg", "forest.pdf", "stability.png", "ablation.png"),
)
TEXTS = ("datasheet.md", "datasheet.json", "tables.tex", "document.tex", "methods.md", "methods.tex")
TABLES = ("leaderboard.csv", "ranking.csv", "rating_pairs.csv", "left_out.csv")
WHOLE = ("bundle.zip", "report.xlsx", "tables.zip", "report.pdf", "datasheet.pdf", "references.bib")
DOWNLOADS = (*WHOLE, *TEXTS, *TABLES, *FIGURES)


def url(name, report, **query):
    folder = "tables/" if name.endswith(".csv") else "" if name in (*WHOLE, *TEXTS) else "figures/"
    return reverse("reports:file", args=[report.pk, f"{folder}{name}"], query=query)


def download(client, name, report, **query):
    response = client.get(url(name, report, **query))
    assert response.status_code == 200
    return response, response.getvalue()


@pytest.fixture(scope="module")
def made_once(make_once):
    """A report on a batch whose name is no name for a file."""
    return make_once(lambda: make_report(batch=make_rated_batch(name='Pilot "/../x; y"')))


@pytest.fixture
def researcher(admin_client):
    return admin_client


def test_the_bundle_of_a_report_verifies_to_the_last_number(researcher, report):
    response, content = download(researcher, "bundle.zip", report)
    found = verify_bundle(io.BytesIO(content))
    assert (found.files, found.differences) == ((), ())
    assert (found.outcome, found.not_recomputed) == ("sound", ())
    assert response["Content-Disposition"].endswith(f'-{found.seal[:12]}.zip"')


def test_the_same_report_is_sealed_to_the_same_bytes_whatever_raters_do_later(researcher):
    batch = make_rated_batch(completions=4)
    report = make_report(batch=batch)
    _, before = download(researcher, "bundle.zip", report)
    later = NOW + timedelta(hours=1)
    claim_questionnaire(rater=make_rater(batch), now=later)
    assert download(researcher, "bundle.zip", report)[1] == before


def test_rows_say_where_each_pair_stood(researcher, report):
    _, content = download(researcher, "bundle.zip", report)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        rows = list(csv.DictReader(io.TextIOWrapper(archive.open("ratings.csv"), "utf-8")))
        plan = json.loads(archive.read("plan.json"))
    placed = {
        (row["questionnaire"], row["rater"], row["system"]): (row["position"], row["flipped"]) for row in rows
    }
    ratings = Rating.objects.select_related("assignment_item__item__system", "assignment_item__assignment")
    expected = {}
    for rating in ratings:
        place = rating.assignment_item
        system = place.item.system.name if place.item.system else "user"
        key = (str(place.assignment.questionnaire.number), place.assignment.rater.code, system)
        expected[key] = (str(place.position), str(place.flipped).lower())
    assert placed == expected
    assert plan["seed"] == report.batch.seed


def test_ratings_that_were_taken_back_are_not_sealed(researcher, report):
    rater = report.batch.people.order_by("pk").first()
    given = Rating.objects.filter(assignment_item__assignment__rater=rater).count()
    withdraw_rater(rater=rater, now=NOW)
    response = researcher.get(url("bundle.zip", report))
    assert response.status_code == 409
    assert f"{given} ratings of this report are no longer held" in response.content.decode()


def test_a_bundle_without_texts_holds_none_of_them(researcher, report):
    _, content = download(researcher, "bundle.zip", report, texts="hashes")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"bakery" not in everything
    found = verify_bundle(io.BytesIO(content))
    assert (found.outcome, found.differences) == ("incomplete", ())


def test_no_secret_of_the_site_or_its_raters_is_in_a_bundle(researcher, report):
    Rater.objects.update(name="Ada Lovelace")
    _, content = download(researcher, "bundle.zip", report)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    secrets = [
        settings.SECRET_KEY,
        str(settings.BASE_DIR),
        report.batch.token,
        "Ada Lovelace",
        *Rater.objects.values_list("key_hash", flat=True),
        *Assignment.objects.values_list("code", flat=True),
    ]
    assert [secret for secret in secrets if secret in everything] == []


def test_more_ratings_make_another_bundle(researcher):
    batch = make_rated_batch(completions=4)
    first = download(researcher, "bundle.zip", make_report(batch=batch))[1]
    rate_batch(batch, completions=1)
    assert download(researcher, "bundle.zip", make_report(batch=batch))[1] != first


@pytest.mark.parametrize("name", DOWNLOADS)
def test_downloads_ask_for_a_login_and_for_a_finished_report(researcher, name, report):
    Report.objects.update(status=JobStatus.QUEUED, result=None)
    address = url(name, report)
    response = Client().get(address)
    assert (response.status_code, response.url) == (302, f"{reverse('accounts:login')}?next={address}")
    assert researcher.get(address).status_code == 409


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_download_has_a_plain_name_and_no_folder_of_the_machine(researcher, name, report):
    response, content = download(researcher, name, report)
    disposition = response["Content-Disposition"]
    assert re.fullmatch(r'attachment; filename="concord-report-\d+-[a-z0-9._-]+"', disposition)
    assert str(settings.BASE_DIR).encode() not in content


def test_the_page_offers_every_download(researcher, report):
    page = researcher.get(reverse("reports:detail", args=[report.pk])).content.decode()
    assert [name for name in DOWNLOADS if f'href="{url(name, report)}' not in page] == []


def test_the_spreadsheet_and_latex_are_those_of_the_library(researcher, report):
    expected = io.BytesIO()
    write_xlsx(expected, report.read())
    assert download(researcher, "report.xlsx", report)[1] == expected.getvalue()
    assert download(researcher, "tables.tex", report)[1].decode() == latex_tables(report.read())


def test_tables_are_those_of_the_library_and_others_are_not_found(researcher, report):
    tables = {f"{table.name}.csv": table_csv(table) for table in report_tables(report.read())}
    assert {name: download(researcher, name, report)[1].decode() for name in tables} == tables
    with zipfile.ZipFile(io.BytesIO(download(researcher, "tables.zip", report)[1])) as archive:
        assert archive.namelist() == list(tables)
    assert researcher.get(url("secrets.csv", report)).status_code == 404


def test_figures_are_of_their_kind_and_show_every_system_in_black_on_white(researcher, report):
    svg = download(researcher, "scatter.svg", report)[1].decode()
    assert [system for system in ("Copy", "Mixed", "Same") if f">{system}</text>" not in svg] == []
    assert "currentColor" not in svg
    assert 'fill="white"' in svg
    assert download(researcher, "scatter.png", report)[1].startswith(b"\x89PNG")
    assert download(researcher, "scatter.pdf", report)[1].startswith(b"%PDF")


def test_the_whole_report_is_a_pdf_with_more_coefficients_too(researcher):
    report = make_report(coefficients=["kendall-c", "pairwise-accuracy"])
    assert download(researcher, "report.pdf", report)[1].startswith(b"%PDF")


def test_the_heat_map_shows_every_coefficient_with_its_marks(researcher, report):
    svg = download(researcher, "heat-map-kendall.svg", report)[1].decode()
    rows = [
        row
        for row in [*report.result["correlations"], *report.result["inference"]["bare"]]
        if (row["automatic"], row["coefficient"]) == ("degress", "kendall")
    ]
    found = re.findall(r">([−\d.]+[*†°]*|–)</text>", svg)
    assert sorted(text.rstrip("*†°").replace("−", "-") for text in found) == sorted(
        "–" if row["estimate"] is None else f"{row['estimate']:.2f}" for row in rows
    )
    assert sum("†" in text for text in found) == sum(
        row["shared_input"] for row in rows if row["estimate"] is not None
    )


def test_unknown_figures_and_forms_are_not_found(researcher, report):
    assert [researcher.get(url(name, report)).status_code for name in ("pie.svg", "scatter.gif")] == [
        404,
        404,
    ]


def test_taking_a_bundle_is_written_down(researcher, report):
    response, _ = download(researcher, "bundle.zip", report)
    seal = response["Content-Disposition"].rpartition("-")[2].removesuffix('.zip"')
    entry = AuditEntry.objects.get(action="ratings exported")
    assert entry.detail["holds"].startswith(f"sealed bundle of report {report.pk}, seal {seal}")


def test_what_an_admin_excludes_later_or_earlier_keeps_its_state_of_then(researcher):
    batch = make_rated_batch()
    before = make_report(batch=batch)
    sealed = download(researcher, "bundle.zip", before)[1]
    rater = Rater.objects.filter(batch=batch).first()
    exclude_rater(rater=rater, reason="bots", by=None, now=NOW)
    assert download(researcher, "bundle.zip", before)[1] == sealed
    after = download(researcher, "bundle.zip", make_report(batch=batch, min_raters=1))[1]
    with zipfile.ZipFile(io.BytesIO(after)) as archive:
        rows = list(csv.DictReader(io.TextIOWrapper(archive.open("ratings.csv"), "utf-8")))
    assert {row["rater"] for row in rows if row["state"] == "excluded"} == {rater.code}
    assert rater.code not in {row["rater"] for row in rows if row["state"] == "submitted"}
    assert verify_bundle(io.BytesIO(after)).differences == ()
