"""Requesting and building: the same inputs are one report, and a part that fails says so."""

import json
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError

from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.report.reliability import correlate_records
from meta_eval.report.schema import CERTAINTY_FIELDS, PartFailure, Problem
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.human import score_humans
from meta_eval.scores.penalties import penalised_accuracy, penalised_rouge
from survey_site.batches.services import close_batch
from survey_site.corpus.queries import load_corpus
from survey_site.reports.models import Report
from survey_site.reports.services import build_report, request_report, retry_report
from survey_site.scoring import services
from survey_site.scoring.adapters import ratings_of_batch
from survey_site.scoring.models import JobStatus, RunKind
from survey_site.survey.models import Rater
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import NOW, make_batch
from tests.factories.reports import OPTIONS, make_report
from tests.factories.scoring import make_rated_batch, make_scored_corpus, rate_batch
from tests.factories.survey import make_assignment, make_rater

pytestmark = pytest.mark.django_db


@pytest.fixture
def computed(monkeypatch):
    """The measures of the runs that were computed, in order."""
    done = []

    def record(compute):
        def recording(run, *args):
            done.append((run.kind, run.measure))
            return compute(run, *args)

        return recording

    for kind, compute in services.COMPUTATIONS.items():
        monkeypatch.setitem(services.COMPUTATIONS, kind, record(compute))
    return done


def left_out(report):
    return {row["what"]: row["count"] for row in report.result["left_out"]}


def test_a_report_holds_the_numbers_of_the_library():
    batch = make_rated_batch()
    report = make_report(batch=batch, measures=["rouge-l", "bleu"], surrogates=["jsd"])
    corpus = load_corpus(batch.corpus)
    automatic = [
        record
        for name in ("rouge-l", "bleu")
        for record in score_systems(corpus, make_measure(name)).records()
    ]
    divergences = human_divergences(ratings_of_batch(batch), scale="similarity", full=2)
    human = score_humans(corpus, divergences, make_measure("jsd")).records()
    stored = Report.objects.get().result
    assert [
        {key: value for key, value in row.items() if key not in ("shared_input", *CERTAINTY_FIELDS)}
        for row in stored["correlations"]
    ] == [
        {key: value for key, value in row.items() if key not in ("shared_input", "shared")}
        for row in correlate_records(human, automatic)
    ]
    scores = {
        (row["side"], row["measure"], row["score"], row["system"]): row["value"]
        for row in stored["leaderboard"]
    }
    assert scores == {
        **{
            ("automatic", record["measure"], name, record["system"]): record[name]
            for record in automatic
            for name in ("perseval", "degress", "egises", "accuracy")
        },
        **{
            ("automatic", record["measure"], "p_acc", record["system"]): penalised_accuracy(
                record["accuracy"], record["egises"]
            )
            for record in automatic
        },
        **{
            ("automatic", "rouge-l", "p_rouge", record["system"]): penalised_rouge(
                record["accuracy"], record["egises"]
            )
            for record in automatic
            if record["measure"] == "rouge-l"
        },
        **{
            ("automatic", "rouge-l", "p_rouge_jsd", record["system"]): penalised_rouge(
                record["accuracy"], other["egises"]
            )
            for record in automatic
            for other in automatic
            if (record["measure"], other["measure"]) == ("rouge-l", "jsd")
            and record["system"] == other["system"]
        },
        **{
            ("human", "jsd", name, record["system"]): record[name]
            for record in human
            for name in ("perseval_hj", "degress_hj", "egises_hj")
        },
    }
    assert report.status == JobStatus.DONE


def test_the_same_inputs_give_the_same_report_and_compute_nothing_again(computed):
    batch = make_rated_batch()
    first = make_report(batch=batch)
    second = make_report(batch=batch, now=NOW + timedelta(days=1))
    assert first == second
    assert second.created_at == NOW
    assert computed == [("automatic", "rouge-l"), ("automatic", "jsd"), ("human", "rouge-l")]


def test_another_report_computes_only_what_is_missing(computed):
    batch = make_rated_batch()
    make_report(batch=batch)
    computed.clear()
    make_report(batch=batch, measures=["rouge-l", "bleu"])
    assert computed == [("automatic", "bleu")]


def test_a_report_takes_the_ratings_as_they_were_when_it_was_requested():
    batch = make_rated_batch(completions=4)
    asked = make_report(batch=batch, built=False, min_raters=1)
    ratings = len(ratings_of_batch(batch))
    rate_batch(batch, completions=2, shift=-1)
    later = make_report(batch=batch, built=False, min_raters=1)
    build_report(report=asked)
    assert asked != later
    assert Report.objects.get(pk=asked.pk).result["ratings"]["ratings"] == ratings


def test_a_measure_that_cannot_be_made_does_not_take_the_rest_with_it():
    report = make_report(measures=["rouge-l", "bleu:n=many"], surrogates=["jsd"])
    (failure,) = report.failures
    assert report.status == JobStatus.DONE
    assert (failure.side, failure.measure) == ("automatic", "bleu:n=many")
    assert "'n' of measure 'bleu' is 'many'" in failure.reason
    assert {row["measure"] for row in report.result["correlations"]} == {"rouge-l"}


def test_a_run_that_fails_does_not_take_the_rest_with_it_and_can_be_tried_again(monkeypatch, computed):
    compute = services.COMPUTATIONS[RunKind.AUTOMATIC]

    def fail_on_jsd(run, *args):
        if run.measure == "jsd":
            raise MemoryError("no memory left")
        return compute(run, *args)

    with monkeypatch.context() as patch:
        patch.setitem(services.COMPUTATIONS, RunKind.AUTOMATIC, fail_on_jsd)
        report = make_report()
    assert report.failures == (
        PartFailure("automatic", "jsd", "Unexpected error (MemoryError): no memory left"),
    )
    assert {row["measure"] for row in report.result["correlations"]} == {"rouge-l"}
    computed.clear()
    again = build_report(report=retry_report(report=report, now=NOW))
    assert (again.failures, computed) == ((), [("automatic", "jsd")])
    assert {row["measure"] for row in again.result["correlations"]} == {"rouge-l", "jsd"}


def test_a_failed_inference_says_why_and_can_be_tried_again(monkeypatch, computed):
    with monkeypatch.context() as patch:
        patch.setattr("survey_site.reports.scores.load_contributions", lambda _: 1 / 0)
        report = make_report()
    assert report.status == JobStatus.DONE
    (problem,) = report.inference_failures
    assert problem == Problem("inputs", "Unexpected error (ZeroDivisionError): division by zero", failed=True)
    assert {row["ci_method"] for row in report.result["correlations"]} == {None}
    assert "division by zero" in report.result["answer"]["cautions"][-1]
    assert len(report.result["correlations"]) == 3 * 2 * 3
    computed.clear()
    waiting = retry_report(report=report, now=NOW)
    assert (waiting.status, waiting.inference_percent) == (JobStatus.QUEUED, 0)
    again = build_report(report=waiting)
    assert (again.inference_failures, computed) == ([], [])
    methods = {row["ci_method"] for row in again.result["correlations"]}
    assert methods == {"hierarchical", "hierarchical-wider"}  # a baseline writes one text for all readers


def test_a_withdrawal_takes_nothing_from_scores_that_are_kept():
    report = make_report(measures=["rouge-l", "bleu:n=many"])
    before = report.result
    withdraw_rater(rater=Rater.objects.filter(batch=report.batch).first(), now=NOW)
    again = build_report(report=retry_report(report=report, now=NOW))
    assert [failure.measure for failure in again.failures] == ["bleu:n=many"]
    assert again.result["leaderboard"] == before["leaderboard"]
    assert "were withdrawn by the people who gave them" in again.inference_failures[0].reason


def test_every_correlation_says_how_sure_it_is():
    result = make_report(surrogates=["rouge-l", "jsd"]).result
    assert len(result["correlations"]) == 3 * 4 * 3
    assert {(row["ci_level"], row["ci_over"], row["p_adjustment"]) for row in result["correlations"]} == {
        (0.95, "documents", "holm")
    }
    assert result["inference"]["problems"] == []
    assert result["inference"]["options"]["resamples"] == 2_000


def test_when_every_part_fails_the_report_has_failed_with_the_reason():
    report = make_report(measures=["bleu:n=many"], surrogates=["bleu:n=many"])
    stored = Report.objects.get()
    assert (stored.status, stored.result) == (JobStatus.FAILED, None)
    assert stored.error == report.error
    assert stored.error.count("'n' of measure 'bleu' is 'many'") == 1


def test_when_one_side_fails_the_other_is_still_shown():
    result = make_report(measures=["jsd"], surrogates=["bleu:n=many"]).result
    assert result["problem"] == "There are no human scores, so nothing can be correlated."
    assert (result["correlations"], {row["side"] for row in result["leaderboard"]}) == ([], {"automatic"})


def test_an_error_outside_the_parts_is_recorded(monkeypatch):
    monkeypatch.setattr("survey_site.reports.services.report_on_scores", lambda *_, **__: 1 / 0)
    report = make_report()
    assert (report.status, report.error) == (
        JobStatus.FAILED,
        "Unexpected error (ZeroDivisionError): division by zero",
    )


def test_retrying_a_whole_report_changes_nothing():
    report = make_report()
    assert retry_report(report=report, now=NOW).status == JobStatus.DONE


def test_simulated_raters_are_counted():
    batch = make_rated_batch(completions=3)
    rate_batch(batch, completions=2, simulated=True)
    ratings = make_report(batch=batch, min_raters=1).result["ratings"]
    assert (ratings["raters"], ratings["simulated_raters"]) == (2, 1)
    assert (ratings["ratings"], ratings["simulated_ratings"]) == (5 * 4, 2 * 4)


def test_what_was_left_out_is_counted():
    corpus = make_scored_corpus()
    batch = make_rated_batch(corpus=corpus, completions=3)
    rate_batch(batch, completions=1)
    late = make_assignment(batch)
    make_assignment(batch, now=late.expires_at + timedelta(minutes=1))
    report = make_report(batch=batch)
    assert left_out(report) == {
        "documents_with_one_reader": 0,
        "missing_distances": 0,
        "empty_texts": 0,
        "surrogate_missing_distances": 0,
        "surrogate_empty_texts": 0,
        "pairs_too_few": 2 * 4,
        "pairs_below_full": 0,
        "empty_summaries": 0,
        "missing_summaries": 0,
        "pairs_unrated": 0,
        "pairs_not_judged": 0,
        "surplus_questionnaires": 0,
        "marked_questionnaires": 0,
        "open_questionnaires": 1,
        "expired_questionnaires": 1,
    }


def test_a_lowered_minimum_counts_the_pairs_below_the_plan():
    batch = make_rated_batch(completions=2)
    report = make_report(batch=batch, min_raters=1)
    assert (left_out(report)["pairs_below_full"], left_out(report)["pairs_unrated"]) == (8, 4)


def test_the_direction_of_the_scale_turns_the_divergences_around():
    similar = make_report(batch=make_rated_batch()).result
    different = make_report(batch=make_rated_batch(scale="dissimilarity")).result
    assert similar["scale"]["divergence"] == "(6 - r) / 5"
    assert different["scale"]["divergence"] == "(r - 1) / 5"
    best = {
        result["scale"]["direction"]: next(
            row["system"] for row in result["leaderboard"] if (row["score"], row["rank"]) == ("degress_hj", 1)
        )
        for result in (similar, different)
    }
    assert best == {"similarity": "Copy", "dissimilarity": "Copy"}
    values = [
        [
            row["value"]
            for row in result["leaderboard"]
            if row["score"] == "degress_hj" and row["system"] == "Same"
        ]
        for result in (similar, different)
    ]
    assert values[0] != values[1]


def test_a_result_is_plain_json_without_loss():
    result = make_report().result
    assert Report.objects.get().result == json.loads(json.dumps(result, allow_nan=False)) == result


def test_missing_texts_are_an_error_and_never_a_silent_fallback():
    batch = make_rated_batch(corpus=make_scored_corpus(bodies=False))
    with pytest.raises(ValidationError, match="3 documents of “News” have no text"):
        request_report(batch=batch, **OPTIONS, now=NOW)
    report = make_report(batch=batch, normalise="none")
    assert (report.status, report.result["options"]["normalise"]) == (JobStatus.DONE, "none")


@pytest.mark.parametrize("launched", [True, False])
def test_a_batch_without_ratings_gives_no_report(launched):
    batch = make_batch(corpus=make_scored_corpus(), launched=launched)
    if launched:
        make_rater(batch)
    with pytest.raises(ValidationError, match=r"yet|draft"):
        request_report(batch=batch, **OPTIONS, now=NOW)
    assert Report.objects.count() == 0


def test_a_closed_batch_can_still_be_reported_on():
    batch = close_batch(batch=make_rated_batch(), now=NOW)
    assert make_report(batch=batch).status == JobStatus.DONE


def test_how_systems_were_generated_is_told_where_the_site_knows_it():
    batch = make_rated_batch()
    assert "generated" not in make_report(batch=batch).read().subject
    system = batch.systems.order_by("position").first()
    record = {"system": system.name, "model": "m", "style": "0-shot", "tokens": "exact", "asked": 9}
    system.generated = {**record, "answered": 8, "texts": 8, "signature_line": "s"}
    system.save()
    second = make_report(batch=batch, seed=2)
    assert second.read().subject["generated"] == [system.generated]
