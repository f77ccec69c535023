"""The demonstration's study is asked from kept replies, once, and stands on the site as uploaded."""

import pytest

from survey_site.demo.user_summaries import ensure_study
from survey_site.projects.choosing import named_project
from tests.factories.batches import NOW


@pytest.mark.django_db
def test_the_study_is_made_once_without_a_connection(admin, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("httpx2.Client.send", refuse)
    study, made = ensure_study(admin, named_project(now=NOW), NOW)
    assert (made, study.users, study.summaries) == (True, 12, 24)
    assert study.names == [
        "labels.csv",
        "predictions.jsonl",
        "quality.jsonl",
        "run.json",
        "scores.json",
        "trail-1.jsonl",
    ]
    run = study.findings["run"]
    assert run["answered"] == run["questions"] == 900
    assert [one["approach"] for one in study.findings["scores"]] == ["single", "hierarchy-critique"]
    assert ensure_study(admin, named_project(now=NOW), NOW) == (study, False)
