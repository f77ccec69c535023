"""Results that somebody else made: what fits together passes, what does not is named by file."""

import json

import pytest

from meta_eval.errors import InputError
from meta_eval.studies.users.checking import Most, require_sound
from meta_eval.studies.users.results import read_results
from tests.factories.user_results import study_texts

MOST = Most(10, 100, "split the study")


@pytest.fixture
def faults(tmp_path):
    """What is said of the results, with some of their files changed; None leaves a file out."""

    def check(most=MOST, **changed):
        texts = {**study_texts(), **{name.replace("_", "."): text for name, text in changed.items()}}
        for name, text in texts.items():
            (tmp_path / name).unlink(missing_ok=True)
            if text is not None:
                (tmp_path / name).write_text(text)
        try:
            require_sound(read_results(tmp_path), tmp_path, most)
        except InputError as error:
            return [str(fault) for fault in error.faults]
        return []

    return check


def changed(name, at, **values):
    """A file of JSON lines, or of JSON, with other values in one record."""
    text = study_texts()[name]
    if name.endswith(".jsonl"):
        lines = text.splitlines()
        lines[at] = json.dumps({**json.loads(lines[at]), **values})
        return "\n".join(lines) + "\n"
    found = json.loads(text)
    record = found if at is None else found[at]
    record.update(values)
    return json.dumps(found)


def test_what_users_score_writes_is_sound(faults):
    assert faults() == []
    assert faults(predictions_jsonl=None) == []


LOG_SCORE = {
    "approach": None,
    "shown": "none",
    "weighed": 3,
    "unlisted": 0,
    "log_score": -1.5,
    "log_score_of_guessing": -1.4,
}
WANTED = "not a list of log scores, each with what was shown and its counts"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"limit": 90}, []),
        ({"at_least": 2}, ["run.json: at_least is 2, not a short text such as 60% or 3"]),
        (
            {"tasks_by_kind": [{"kind": "item", "shown": "own", "accuracy": None}]},
            [
                "run.json: tasks_by_kind is [{'kind': 'item', 'shown': 'own', 'accuracy': None}], not a list "
                "of kinds of task, each with what was shown and its accuracy"
            ],
        ),
        ({"log_scores": [{**LOG_SCORE, "log_score": None}]}, []),
        ({"log_scores": []}, []),
        *(
            (
                {"log_scores": [{**LOG_SCORE, **wrong}]},
                [f"run.json: log_scores is {str([LOG_SCORE | wrong])[:60]}, {WANTED}"],
            )
            for wrong in ({"log_score": 0.5}, {"shown": "all"}, {"weighed": -1}, {"approach": 3})
        ),
        ({"seed": float("nan")}, ["run.json: holds nan, which is no finite number"]),
        ({"seed": 10**400}, ["run.json: holds a whole number too large, which is no finite number"]),
        ({"model": "a\0"}, ["run.json: holds a NUL character"]),
        ({"model": "\ud800"}, ["run.json: holds half a surrogate pair, which is no character"]),
        ({"predictor": 3}, ["run.json: predictor is 3, not a text"]),
        ({"questions": -1}, ["run.json: questions is -1, not a number of 0 or more"]),
        (
            {"left_out": {"refused": "many"}},
            ["run.json: left_out is {'refused': 'many'}, not numbers by reason"],
        ),
        (
            {"tasks_by_kind": [{"kind": "item"}]},
            [
                "run.json: tasks_by_kind is [{'kind': 'item'}], not a list of kinds of task, each with what "
                "was shown and its accuracy"
            ],
        ),
        (
            {"at_least": "0.6"},
            [
                "run.json: --at-least is a share such as 60%, or a number of tasks such as 3, not '0.6'",
            ],
        ),
        ({"answered": 1}, ["run.json: answered is 1; predictions.jsonl holds 450"]),
    ],
    ids=lambda value: next(iter(value), "fine"),
)
def test_a_run_that_a_report_cannot_show_is_refused(faults, values, said):
    assert faults(run_json=changed("run.json", None, **values)) == said


def test_a_run_without_a_field_is_refused(faults):
    run = json.loads(study_texts()["run.json"])
    del run["signature_line"]
    assert faults(run_json=json.dumps(run)) == ["run.json: has no signature_line"]


def test_scores_must_follow_from_the_quality_of_summaries(faults):
    assert faults(scores_json=changed("scores.json", 0, qm=0.9)) == [
        "scores.json: plain: qm is 0.9; quality.jsonl gives 0"
    ]
    assert faults(scores_json=changed("scores.json", 1, approach="other")) == [
        "scores.json: its approaches are not those of quality.jsonl, which are plain, long, in this order"
    ]
    assert faults(scores_json=changed("scores.json", 0, controls={"none": 1})) == [
        "scores.json: plain: controls none qm is missing",
        "scores.json: plain: controls none accuracy is missing",
        "scores.json: plain: controls other is missing",
    ]


def test_what_is_drawn_by_chance_needs_to_be_a_number_alone(faults):
    scores = json.loads(study_texts()["scores.json"])
    scores[0]["intervals"]["qm"] = {"low": 0.0, "high": 0.01}
    assert faults(scores_json=json.dumps(scores)) == []
    scores[0]["intervals"]["qm"]["low"] = "<b>"
    assert faults(scores_json=json.dumps(scores)) == [
        "scores.json: plain: intervals qm low is '<b>', not a number"
    ]


def test_quality_must_follow_from_predictions(faults):
    own = next(
        at
        for at, line in enumerate(study_texts()["predictions.jsonl"].splitlines())
        if json.loads(line)["shown"] == "own" and json.loads(line)["approach"] == "plain"
    )
    was = json.loads(study_texts()["predictions.jsonl"].splitlines()[own])["right"]
    (said,) = faults(predictions_jsonl=changed("predictions.jsonl", own, right=not was))
    assert said.startswith("quality.jsonl: user 'Ada', 'plain', own: accuracy is ")
    assert faults(predictions_jsonl="[]\n" + study_texts()["predictions.jsonl"])[0] == (
        "predictions.jsonl:1: is no prediction, as `users score` writes it"
    )


def test_too_much_is_refused_with_what_takes_it(faults):
    assert faults(Most(6, 6, "")) == []
    assert faults(Most(5, 5, "ask the admin")) == [
        "quality.jsonl: holds 6 users; at most 5 are taken; ask the admin",
        "quality.jsonl: gives 6 comparisons of approaches, user by user; at most 5 are taken; ask the admin",
    ]


def test_a_user_with_two_summaries_of_one_approach_is_refused(faults):
    lines = study_texts()["quality.jsonl"].splitlines()
    assert faults(quality_jsonl="\n".join([*lines, lines[0]]))[0] == (
        "quality.jsonl: user 'Ada' has two summaries of 'plain'"
    )


@pytest.mark.parametrize(
    ("ends", "over", "said"),
    [
        ({"low": 0.0, "high": None}, {}, ["plain: intervals qm is 0 to None, which does not hold 0"]),
        ({"low": 0.2, "high": 0.3}, {}, ["plain: intervals qm is 0.2 to 0.3, which does not hold 0"]),
        ({"low": 0.1, "high": -0.1}, {}, ["plain: intervals qm is 0.1 to -0.1, which does not hold 0"]),
        ({"low": None, "high": None}, {"p": 1.5}, ["plain: over_other p is 1.5, not a number from 0 to 1"]),
        ({"low": None, "high": None}, {"p_adjusted": 0.5}, []),
    ],
    ids=["one end", "beside", "turned", "p", "fine"],
)
def test_what_no_draw_gives_is_refused(faults, ends, over, said):
    scores = json.loads(study_texts()["scores.json"])
    scores[0]["intervals"]["qm"] = ends
    scores[0]["over_other"].update(over)
    assert faults(scores_json=json.dumps(scores)) == [f"scores.json: {one}" for one in said]


def test_numbers_that_no_mean_can_hold_are_refused(faults):
    for field, value in (("words", 10**400), ("words", float("nan")), ("user", "\0"), ("user", "\ud800")):
        (said,) = faults(quality_jsonl=changed("quality.jsonl", 0, **{field: value}))
        assert "quality.jsonl:1: is no summary's quality" in said
