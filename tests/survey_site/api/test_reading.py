"""What programs read: the same as the pages say, in pages by cursor, with tags."""

import pytest

from survey_site.quality.models import KeptFindings
from survey_site.quality.services import exclude_rater
from survey_site.reports.downloads import ADDRESSES
from survey_site.reports.models import Report
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made")]


@pytest.fixture(scope="module")
def made(make_once):
    return make_once(lambda: make_report(measures=["rouge-l"], resamples=1000).pk)


@pytest.fixture
def report(made):
    return Report.objects.select_related("batch__corpus").get(pk=made)


@pytest.fixture
def program():
    return make_program("auditor")


def names(response):
    return [one["name"] for one in response.json()["results"]]


def test_a_list_comes_in_pages_that_nothing_moves(program):
    corpora = [make_corpus(name=f"C{number}", documents=number) for number in (3, 4, 5)]
    first = program.get("corpora/?limit=2").json()
    make_corpus(name="Later", documents=6)
    second = program.get(first["next"].removeprefix("http://testserver")).json()
    read = [one["id"] for one in first["results"] + second["results"]]
    assert read[:3] == [one.pk for one in reversed(corpora)]
    assert second["results"][-1]["id"] not in read[:3]


def test_filters_mean_what_those_of_the_pages_mean(program, report):
    make_batch(corpus=make_corpus(name="Other", documents=7), name="Draft of ours", launched=False)
    assert names(program.get("batches/?state=draft")) == ["Draft of ours"]
    assert names(program.get("batches/?q=other")) == ["Draft of ours"]
    assert names(program.get(f"batches/?corpus={report.batch.corpus_id}")) == [report.batch.name]
    report.batch.corpus.archived_at = NOW
    report.batch.corpus.save(update_fields=["archived_at"])
    assert report.batch.corpus.name not in names(program.get("corpora/"))
    assert names(program.get("corpora/?archive=only")) == [report.batch.corpus.name]


def test_a_corpus_says_what_it_holds(program):
    corpus = make_corpus(documents=4, readers=2, systems=3)
    found = program.get(f"corpora/{corpus.pk}/").json()
    names = ("documents", "readers", "references", "systems")
    assert [found[name] for name in names] == [4, 2, 8, 3]
    assert [one["name"] for one in found["by_system"]] == [
        one.name for one in corpus.systems.order_by("position")
    ]


def test_a_batch_with_plan_progress_and_questionnaires(program, report):
    path = f"batches/{report.batch_id}/"
    batch, plan = program.get(path).json(), program.get(f"{path}plan/").json()
    progress, questionnaires = program.get(f"{path}progress/").json(), program.get(f"{path}questionnaires/")
    rows = questionnaires.json()["results"]
    assert (batch["state"], batch["raters"]) == (report.batch.status, report.batch.raters)
    assert [one["number"] for one in rows] == [one["number"] for one in plan["questionnaires"]]
    assert sum(one["completed"] for one in rows) == progress["completions"] > 0
    assert progress["questionnaires"] == len(rows)


def test_a_draft_has_checks_and_no_progress(program):
    draft = make_batch(launched=False)
    checks = program.get(f"batches/{draft.pk}/checks/").json()
    assert {one["title"]: one["level"] for one in checks}["Systems"] == "error"
    assert program.get(f"batches/{draft.pk}/progress/").status_code == 404


def test_a_launched_batch_has_no_checks(program, report):
    assert program.get(f"batches/{report.batch_id}/checks/").status_code == 409


def test_raters_are_pseudonyms_with_their_exclusion(program, report):
    rater = report.batch.people.first()
    rater.name = "Ada Lovelace"
    rater.save(update_fields=["name"])
    made = exclude_rater(rater=rater, reason="asleep", now=NOW)
    answer = program.get(f"batches/{report.batch_id}/raters/")
    rows = {one["code"]: one for one in answer.json()["results"]}
    assert set(rows) == set(report.batch.people.values_list("code", flat=True))
    assert rows[rater.code]["exclusion"] == made.pk
    assert (b"Lovelace" in answer.content, rater.key_hash.encode() in answer.content) == (False, False)
    (exclusion,) = program.get(f"batches/{report.batch_id}/exclusions/").json()["results"]
    assert (exclusion["rater"], exclusion["reason"], exclusion["questionnaire"]) == (
        rater.code,
        "asleep",
        None,
    )


def test_the_link_of_raters_is_in_no_answer(program, report):
    paths = [
        f"batches/{report.batch_id}/{part}" for part in ("", "plan/", "progress/", "raters/", "ratings/")
    ]
    for path in ["batches/", *paths]:
        answer = program.get(path)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert report.batch.token.encode() not in content


def test_a_report_its_runs_and_its_files(program, report):
    found = program.get(f"reports/{report.pk}/").json()
    assert (found["state"], found["answer"]) == ("done", report.read().answer.headline)
    run = program.get(f"score-runs/{found['parts'][0]['run']}/").json()
    assert (run["state"], run["percent"], bool(run["records"])) == ("done", 100, True)
    listed = {one["address"] for one in program.get(f"reports/{report.pk}/files/").json()}
    assert {"report.json", "tables/leaderboard.csv", "bundle.zip"} <= listed
    table = program.get(f"reports/{report.pk}/files/tables/leaderboard.csv")
    assert (table.status_code, table.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    bundle = program.get(f"reports/{report.pk}/files/bundle.zip?texts=hashes")
    assert b"".join(bundle.streaming_content)[:2] == b"PK"


def test_the_list_of_files_has_those_that_are_given_and_no_other(program, report):
    path = f"reports/{report.pk}/files/"
    listed = {one["address"] for one in program.get(path).json()}
    slow = {one for one in ADDRESSES if one.endswith((".png", ".pdf"))}  # each figure is tried as SVG
    tried = ADDRESSES.keys() - slow
    given = {address for address in tried if program.get(f"{path}{address}").status_code == 200}
    assert listed - slow == given
    assert program.get(f"{path}?score=egises").status_code == 200  # the query chooses as for one file
    assert tried - given  # there is nothing for some of them: the list is no list of everything
    assert {one.rpartition(".")[0] for one in listed & slow if "/" in one} == {
        one.removesuffix(".svg") for one in given if one.endswith(".svg")
    }


def test_an_unfinished_report_lists_no_files(program, report):
    Report.objects.filter(pk=report.pk).update(result=None, status="queued")
    assert program.get(f"reports/{report.pk}/files/").status_code == 409


def test_every_list_of_scores_and_reports_is_there(program, report):
    assert [one["id"] for one in program.get("reports/").json()["results"]] == [report.pk]
    runs = program.get("score-runs/?kind=human").json()["results"]
    assert {(one["kind"], one["batch"]) for one in runs} == {("human", report.batch_id)}
    assert program.get("uploads/").json()["results"] == []


def test_what_has_not_changed_comes_without_content(program, report):
    path = f"batches/{report.batch_id}/"
    tag = program.get(path).headers["ETag"]
    again = program.get(path, If_None_Match=tag)
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    report.batch.name = "Another name"
    report.batch.save(update_fields=["name"])
    assert program.get(path, If_None_Match=tag).status_code == 200


def test_no_answer_is_kept_by_a_cache(program):
    assert program.get("batches/").headers["Cache-Control"] == "private, no-store"


def test_of_many_raters_is_told_what_a_worker_found_and_when(program, report, monkeypatch):
    path = f"batches/{report.batch_id}/raters/"
    found = program.get(path).json()
    assert found["checks"]["at"]
    assert (found["checks"]["fresh"], found["checks"]["awaited"]) == (True, False)
    assert [one["flags"] for one in found["results"]] == [["3 of 3 too fast"]] * 2
    KeptFindings.objects.all().delete()
    monkeypatch.setattr("survey_site.quality.kept.FEW_PAGES", 0)
    monkeypatch.setattr("survey_site.quality.kept.find_out", None)
    waiting = program.get(path).json()
    assert waiting["checks"] == {"at": None, "fresh": False, "awaited": True}
    assert {one["flags"] for one in waiting["results"]} == {None}


@pytest.mark.parametrize("value", ["0", "-1", "1.9", "1e3", "one", str(2**63), "9" * 60])
def test_the_number_of_a_thing_is_a_whole_number(program, value):
    for path in ("batches/?corpus", "reports/?batch", "score-runs/?corpus", "score-runs/?batch"):
        assert program.get(f"{path}={value}").status_code == 422, path
        assert program.get(f"{path}={2**63 - 1}").json()["results"] == []
