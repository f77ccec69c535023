"""A run read back from its records: what cannot have been asked is refused by name, before it is replayed."""

import json

import pytest

from meta_eval.studies.perse.runs import PerseRun
from tests.meta_eval.judged_runs import make_run, plans
from tests.meta_eval.model_ratings import make_corpus


@pytest.fixture(scope="module")
def records():
    """Those of a run and its control."""
    run = make_run(make_corpus(), lambda _: 5, plans(documents=1), {"a": ["Rain"]})
    return json.dumps(run.as_records())


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("0.plan.size", "x", "[0].plan.size must be a whole number from 1"),
        ("0.plan.size", -1, "[0].plan.size must be a whole number from 1"),
        ("0.plan.seed", None, "[0].plan.seed must be a whole number"),
        ("0.plan.draws", 10**12, "[0].plan.draws must be a whole number from 1 to 100"),
        ("1.plan.only", "d00", "[1].plan.only must be a list of texts, or null"),
        ("0.plan.own", 1, "[0].plan.own must be true or false"),
        ("1.plan.shuffled", False, "[1].plan.shuffled must be true"),
        ("0.asking.attempts", 0, "[0].asking.attempts must be a whole number from 1"),
        ("0.asking.histories.a", [1, 2], "[0].asking.histories must be an object with a list of titles"),
        ("1.asking.options.model", ["m"], "[1].asking.options.model must be a text"),
        ("1.asking", [], "[1].asking must be an object"),
    ],
)
def test_a_value_that_cannot_have_been_asked_is_named(records, place, value, said):
    changed = json.loads(records)
    *way, last = place.split(".")
    at = changed[int(way.pop(0))] if way else changed
    for name in way:
        at = at[name]
    at[last] = value
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the words are compared below
        PerseRun.from_records(changed, {}, make_corpus())
    assert str(raised.value).startswith(said)
