"""After `migrate` a site that the previous release ran has lost nothing, and whoever was there goes on.

All tests read one database, which that release's own code made (`tests/fixtures/releases`).
"""

import csv
import io
import json
import re
from collections import defaultdict
from itertools import takewhile

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Count, F, Q
from django.test import Client
from django.urls import reverse

from meta_eval.report.schema.coefficients import CoefficientKey
from survey_site.accounts.models import User
from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.services import launch_batch
from survey_site.operations.doctor import examine
from survey_site.operations.findings import State
from survey_site.quality.freezing import is_intact
from survey_site.quality.models import Snapshot
from survey_site.reports.models import Report
from survey_site.reports.services import build_report, request_report
from survey_site.scoring.models import RatingSet
from survey_site.survey.models import Assignment
from tests.factories.releases import read_rows, read_tables, upgraded_site

RELEASE = "2026-11-20"
OF_DJANGO = {"auth_permission", "django_content_type", "django_migrations", "django_session"}
"""Tables whose rows `migrate` itself adds to; and sessions, since staff log in once more."""
MOVED = defaultdict(set, scoring_ratingset={"ratings"})
"""By table, columns whose values stand elsewhere since."""
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def site(django_db_setup, django_db_blocker, tmp_path_factory):
    with django_db_blocker.unblock(), upgraded_site(RELEASE, tmp_path_factory.mktemp("release")) as site:
        yield site


@pytest.fixture(autouse=True)
def _upgraded(site, db):
    """Each test begins with the site as `migrate` left it: `db` takes back what the one before changed."""


@pytest.fixture
def staff(site):
    client = Client()
    client.force_login(User.objects.get(username="adam"))
    return client


@pytest.fixture
def live(site):
    return Batch.objects.get(pk=site.known["batches"]["live"])


def with_cookie(batch, cookie):
    client = Client()
    client.cookies["rater"] = cookie
    client.cookies["rater"]["path"] = reverse("survey:join", args=[batch.token])
    return client


def own_page(client, batch):
    """Press the button of the first page; returns the claim that it leads to, and its address."""
    answer = client.post(reverse("survey:start", args=[batch.token]), follow=True)
    address = answer.redirect_chain[-1][0]
    return Assignment.objects.get(code=address.rstrip("/").rpartition("/")[2]), address


def answers_of(assignment):
    """By the code of each item: the answer that stands, None where there is none."""
    return dict(assignment.placements.values_list("code", "rating__value"))


def rate_the_rest(client, assignment, address):
    for code, value in answers_of(assignment).items():
        if value is None:
            answer = client.post(f"{address}rate/", {"item": code, "value": 3, "tab": "2b", "turn": 1})
            assert answer.json()["value"] == 3
    assert client.post(address).status_code == 302
    assignment.refresh_from_db()


def miscounted():
    """Questionnaires whose count of taken places is not that of the claims that hold one."""
    held = Count("assignments", filter=Q(assignments__slot__isnull=False))
    return list(Questionnaire.objects.annotate(held=held).exclude(taken=F("held")))


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def numbers_of(report):
    """Each coefficient with its p, and each score with its rank, by what it is of."""
    read = report.read()
    kinds = (
        (read.correlations, CoefficientKey._fields, ("estimate", "p_value")),
        (read.leaderboard, ("system", "side", "measure", "score"), ("value", "rank")),
    )
    return {
        (*(getattr(row, field) for field in key), name): getattr(row, name)
        for rows, key, names in kinds
        for row in rows
        for name in names
        if getattr(row, name) is not None
    }


def content_of(answer):
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_the_tables_are_those_of_a_new_site_and_the_doctor_finds_no_fault(site):
    """Other tables would mean that a migration was changed after it was released.

    Of the doctor's findings those that come before the clock are a matter of an upgrade.
    """
    assert read_tables(connection) == read_tables(site.new_site)
    connection.check_constraints()
    call_command("check")
    findings = takewhile(lambda one: one.subject != "clock", examine(now=lambda: site.now))
    faults = [one for one in findings if one.state is State.FAULT]
    # The tests with a browser set a variable of which this check complains, for their process.
    assert [one for one in faults if not one.action.startswith("async.E001")] == []


def test_every_row_is_there_as_it_was(site):
    after = read_rows()
    assert sum(map(len, site.before.values())) > 1000
    for table in site.before.keys() - OF_DJANGO:
        rows = [{name: row[name] for name in row.keys() - MOVED[table]} for row in site.before[table]]
        columns = rows[0].keys() if rows else ()
        assert [{name: row[name] for name in columns} for row in after[table]] == rows, table
    assert after["django_session"] == []


def test_the_ratings_of_scores_are_the_same_rater_by_rater(site):
    """The release before kept those of a set in one value."""
    sets = site.before["scoring_ratingset"]
    before = {row["id"]: sorted(as_json(row["ratings"])) for row in sets}
    assert len(before[sets[0]["id"]]) > 10
    assert {one.pk: one.ratings for one in RatingSet.objects.all()} == before


def as_json(value):
    """A column of JSON, which comes as text from SQLite and, as the driver is set up, from PostgreSQL."""
    return json.loads(value) if isinstance(value, str) else value


def test_places_are_counted_as_they_are_held(site):
    """The release before counted the claims each time; the count is kept from the upgrade on."""
    assert miscounted() == []
    assert set(Assignment.objects.values_list("state", flat=True)) == {
        "open",
        "submitted",
        "expired",
        "surplus",
        "withdrawn",
    }


@pytest.mark.parametrize(
    ("name", "known_by", "answered"),
    [("live", "link", [5, 4]), ("live", "cookie", [6]), ("panel", "id", [5])],
    ids=["personal link", "cookie", "id of a panel"],
)
def test_who_was_at_work_goes_on_and_submits(site, name, known_by, answered):
    batch = Batch.objects.get(pk=site.known["batches"][name])
    people, client = site.known["people"][name], Client()
    if known_by == "link":
        client.get(people["link"])
    elif known_by == "id":
        client.get(reverse("survey:join", args=[batch.token]), {"PROLIFIC_PID": people["open"]})
    else:
        client = with_cookie(batch, people["cookie"])
    raters = batch.people.count()
    assignment, address = own_page(client, batch)
    before = answers_of(assignment)
    assert (assignment.state, list(filter(None, before.values()))) == ("open", answered)
    shown = re.findall(rb'<input[^>]* name="rating-[^>]* checked', client.get(address).content)
    assert len(shown) == len(answered)
    rate_the_rest(client, assignment, address)
    assert (assignment.state, batch.people.count()) == ("submitted", raters)
    assert answers_of(assignment) == {code: value or 3 for code, value in before.items()}
    assert miscounted() == []


def test_who_comes_back_too_late_loses_no_answer(site, live):
    client = with_cookie(live, site.known["people"]["live"]["late"])
    late = Assignment.objects.get(rater__name="Lena")
    address = reverse("survey:questionnaire", args=[live.token, late.code])
    assert (late.state, sorted(filter(None, answers_of(late).values()))) == ("expired", [2, 3])
    rate_the_rest(client, late, address)
    assert (late.state, sorted(answers_of(late).values())[:2]) == ("surplus", [2, 3])
    assert miscounted() == []


def test_who_withdrew_is_gone_for_good(site, live):
    client = with_cookie(live, site.known["people"]["live"]["gone"])
    answer = client.post(reverse("survey:start", args=[live.token]), follow=True)
    assert b"withdrawn" in answer.content
    assert set(answers_of(Assignment.objects.get(rater__batch=live, state="withdrawn")).values()) == {None}


def test_newcomers_take_what_is_free_and_a_draft_is_launched(site, live):
    draft = launch_batch(batch=Batch.objects.get(pk=site.known["batches"]["draft"]), now=site.now)
    for batch in (live, draft):
        client, start = Client(), reverse("survey:start", args=[batch.token])
        page = client.get(reverse("survey:join", args=[batch.token])).content.decode()
        client.post(start, {"key": re.search(r'name="key" value="([^"]+)"', page)[1]})
        client.post(reverse("survey:about", args=[batch.token]), {"field": "History"})
        page = client.post(start, {"practised": "1"}, follow=True)
        address = page.redirect_chain[-1][0]
        assignment = Assignment.objects.get(code=address.rstrip("/").rpartition("/")[2])
        rate_the_rest(client, assignment, address)
        assert assignment.state == "submitted"
    assert miscounted() == []


def test_passwords_are_those_of_before(site):
    client = Client()
    form = {"username": "rita", "password": site.known["passwords"]["rita"]}
    assert client.post(reverse("accounts:login"), form).status_code == 302
    assert client.get(reverse("batches:list")).content.count(b"Live") > 0


def test_batches_are_shown_with_the_numbers_of_before(site, staff):
    for name, pk in site.known["batches"].items():
        pages = ["batches:monitor"] + ["batches:participation"] * (name != "uploaded")
        pages += ["quality:detail"] * (name != "draft")
        for page in pages:
            assert staff.get(reverse(page, args=[pk]), follow=True).status_code == 200, (name, page)
    for name, text in site.known["shown"]["ratings.csv"].items():
        pk = site.known["batches"][name]
        rows = read_csv(content_of(staff.get(reverse("batches:ratings", args=[pk]))).decode())
        before = read_csv(text)
        assert (
            [{column: row[column] for column in before[0]} for row in rows] == before if before else not rows
        )
    assert is_intact(Snapshot.objects.get())


def test_the_report_and_its_files_open(site, staff):
    page = reverse("reports:detail", args=[site.known["report"]])
    assert staff.get(page).status_code == 200
    for file in ("report.json", "report.pdf", "report.xlsx", "tables.zip", "document.tex", "datasheet.md"):
        assert staff.get(page + file).status_code == 200, file
    assert len(content_of(staff.get(f"{page}bundle.zip"))) > 1000
    for file in ("leaderboard.csv", "correlations.csv"):
        before = read_csv(site.known["shown"][file])
        rows = read_csv(staff.get(page + file).content.decode())
        assert [{column: row[column] for column in before[0]} for row in rows] == before


def test_a_report_that_waited_says_what_the_one_before_says_of_the_same_ratings(site):
    """It is on an upload of the ratings that the finished one is on, and computed by this version alone."""
    old, waiting = (Report.objects.get(pk=site.known[name]) for name in ("report", "waiting_report"))
    asked = {name: old.options[name] for name in ("measures", "surrogates", "resamples", "seed")}
    assert request_report(batch=old.batch, now=site.now, **asked).rating_set == old.rating_set
    done = build_report(report=waiting, clock=lambda: site.now)
    assert (done.status, done.error) == ("done", "")
    before, after = numbers_of(old), numbers_of(done)
    assert len(before) > 20
    assert {key: after.get(key) for key in before} == pytest.approx(before, rel=1e-9)
