"""One request, one report: Python, the command, the site's form and the API."""

import csv
import json

import pytest
from django.urls import reverse
from typer.main import get_command

import meta_eval
from meta_eval.cli import app, main
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.report import building
from meta_eval.stats.coefficients.families import parse_families
from survey_site.corpus.queries import load_corpus
from survey_site.reports import facts
from survey_site.reports.forms import ReportForm
from survey_site.reports.models import Report
from survey_site.survey.rating_rows import RATING_COLUMNS, rating_rows
from tests.factories.accounts import make_user
from tests.factories.api import make_program
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db

SURVEY_ONLY = {
    *("pairs_unrated", "pairs_not_judged", "marked_questionnaires"),
    *("surplus_questionnaires", "open_questionnaires", "expired_questionnaires"),
}


def numbers(report, options):
    """The report without what its survey alone knows, and with the options that both sides can ask for."""
    blank = {"batch": "", "corpus": "", "question": "", "seed": None}
    blank |= {"raters_flagged": None, "document_shown": None, "plan_known": None}
    return {
        **report,
        "options": {name: report["options"][name] for name in options},
        "subject": {**report["subject"], **blank},
        "notes": [],
        "left_out": [row for row in report["left_out"] if row["what"] not in SURVEY_ONLY],
    }


def write_batch(batch, corpus_file, ratings_file):
    with corpus_file.open("w", encoding="utf-8") as stream:
        write_jsonl(load_corpus(batch.corpus), stream)
    with ratings_file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, RATING_COLUMNS)
        writer.writeheader()
        writer.writerows(rating_rows(batch))


ASKED = {"measures": ["rouge-l", "jsd"], "surrogates": ["jsd"]}
FAMILY = "copied = Copy"


@pytest.mark.parametrize(
    "asked",
    [
        ({}, {}, []),
        ({"mode": "kdm"}, {}, ["--mode", "kdm"]),
        (
            {"mode": "kdm", "edp_readers": "rated", "min_raters": 1, "normalise": "none"},
            {"coefficients": ["kendall-c"], "families": [FAMILY], "seed": 3, "resamples": 1000},
            [
                *("--mode", "kdm", "--edp-readers", "rated", "--min-raters", "1", "--normalise", "none"),
                *("--coefficient", "kendall-c", "--family", FAMILY, "--seed", "3", "--resamples", "1000"),
            ],
        ),
    ],
    ids=["nothing", "kdm", "much"],
)
def test_one_request_means_the_same_wherever_it_is_made(asked, tmp_path, researcher_client, monkeypatch):
    """Key by key; nothing is computed, since the options are settled before."""
    report, statistics, typed = asked
    batch = make_rated_batch()
    write_batch(batch, tmp_path / "corpus.jsonl", tmp_path / "ratings.csv")
    monkeypatch.setattr(building, "report_on_scores", stop_with_options)

    corpus = meta_eval.read_corpus(tmp_path / "corpus.jsonl")
    ratings = meta_eval.read_ratings(tmp_path / "ratings.csv", corpus)
    families = parse_families(statistics.get("families", []), corpus.systems)
    inference = meta_eval.InferenceOptions(**{**statistics, "families": families})
    with pytest.raises(StoppedError) as stopped:
        meta_eval.make_report(corpus, ratings, **ASKED, scale="similarity", inference=inference, **report)
    found = {"python": stopped.value.options}

    files = [str(tmp_path / "corpus.jsonl"), str(tmp_path / "ratings.csv")]
    choice = ["-m", "rouge-l", "-m", "jsd", "--surrogate", "jsd", "--scale", "similarity", "--json", *typed]
    with pytest.raises(StoppedError) as stopped:
        get_command(app)(["report", *files, *choice], standalone_mode=False)
    found["command"] = stopped.value.options

    fields = ReportForm(user=make_user(role="researcher")).fields.items()
    shown = {name: field.initial for name, field in fields if field.initial is not None}
    lines = {"families": "\n".join(statistics.get("families", []))}
    data = {**shown, **ASKED, **report, **statistics, **lines, "batch": batch.pk}
    assert researcher_client.post(reverse("reports:new"), data).status_code == 302
    found["site"] = Report.objects.get().options
    Report.objects.all().delete()

    body = {"batch": batch.pk, **ASKED, **report, **statistics}
    assert make_program().post("reports/", body).status_code == 202
    found["API"] = Report.objects.get().options

    for place, options in found.items():
        assert (place, plain(options)) == (place, plain(found["python"]))


class StoppedError(Exception):
    def __init__(self, options):
        super().__init__("the options are known")
        self.options = options


def stop_with_options(_source, _options, _inference, facts, **_rest):
    raise StoppedError(facts.options)


def plain(options):
    return json.loads(json.dumps(options))


def test_the_command_gives_what_the_site_gives(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(facts, "count_flagged", lambda _flags: 0)  # the site alone checks raters
    batch = make_rated_batch()
    report = make_report(batch=batch, measures=["rouge-l", "jsd"], surrogates=["jsd", "bleu"], seed=3)
    corpus_file, ratings_file = tmp_path / "corpus.jsonl", tmp_path / "ratings.csv"
    write_batch(batch, corpus_file, ratings_file)
    choice = ["-m", "rouge-l", "-m", "jsd", "--surrogate", "jsd", "--surrogate", "bleu"]
    more = ["--scale", "similarity", "--seed", "3", "--json"]
    with pytest.raises(SystemExit) as left:
        main(["report", str(corpus_file), str(ratings_file), *choice, *more])
    assert left.value.code == 0
    ours, stored = json.loads(capsys.readouterr().out), json.loads(json.dumps(report.result))
    assert numbers(ours, report.options) == numbers(stored, report.options)
