"""The library's command gives the numbers of the site's report on the same ratings."""

import csv
import json

import pytest

from meta_eval.cli import main
from meta_eval.corpus.jsonl import write_jsonl
from survey_site.corpus.queries import load_corpus
from survey_site.reports import facts
from survey_site.survey.rating_rows import RATING_COLUMNS, rating_rows
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


def test_the_command_gives_what_the_site_gives(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(facts, "count_flagged", lambda _flags: 0)  # the site alone checks raters
    batch = make_rated_batch()
    report = make_report(batch=batch, measures=["rouge-l", "jsd"], surrogates=["jsd", "bleu"], seed=3)
    corpus_file, ratings_file = tmp_path / "corpus.jsonl", tmp_path / "ratings.csv"
    with corpus_file.open("w", encoding="utf-8") as stream:
        write_jsonl(load_corpus(batch.corpus), stream)
    with ratings_file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, RATING_COLUMNS)
        writer.writeheader()
        writer.writerows(rating_rows(batch))
    choice = ["-m", "rouge-l", "-m", "jsd", "--surrogate", "jsd", "--surrogate", "bleu"]
    more = ["--scale", "similarity", "--seed", "3", "--json"]
    with pytest.raises(SystemExit) as left:
        main(["report", str(corpus_file), str(ratings_file), *choice, *more])
    assert left.value.code == 0
    ours, stored = json.loads(capsys.readouterr().out), json.loads(json.dumps(report.result))
    assert numbers(ours, report.options) == numbers(stored, report.options)
