import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.report.reliability import correlate_records, infer_records
from meta_eval.scores.names import COMPARED
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.table.resampled import INTERVALS


def human(system: str, value: float | None, surrogate: str = "rouge-l") -> dict:
    scores = {"degress_hj": value, "egises_hj": None if value is None else 1 - value, "perseval_hj": value}
    return {"system": system, "surrogate": surrogate, **scores}


def automatic(system: str, value: float, measure: str = "jsd") -> dict:
    return {"system": system, "measure": measure, "degress": value, "egises": 1 - value, "perseval": value**2}


def test_every_score_surrogate_measure_and_coefficient_has_one_record():
    people = [
        human(system, value, surrogate)
        for surrogate in ("x", "y")
        for system, value in [("A", 0.1), ("B", 0.4)]
    ]
    machine = [
        automatic(system, value, measure)
        for measure in ("m", "n")
        for system, value in [("B", 0.3), ("A", 0.2)]
    ]
    records = correlate_records(people, machine)
    assert len(records) == 3 * 2 * 2 * 3
    assert records[0] == {
        "human": "degress_hj",
        "surrogate": "x",
        "automatic": "degress",
        "measure": "m",
        "coefficient": "pearson",
        "n": 2,
        "estimate": pytest.approx(1.0),
        "reason": None,
        "shared_input": False,
        "shared": None,
    }
    assert {(record["human"], record["automatic"]) for record in records} == {
        ("degress_hj", "degress"),
        ("egises_hj", "egises"),
        ("perseval_hj", "perseval"),
    }
    assert all(record["estimate"] == pytest.approx(1.0) for record in records)


def test_each_record_says_what_both_sides_share():
    people = [human("A", 0.1, "m"), human("B", 0.4, "m")]
    machine = [{**automatic(name, 0.2, "m"), "accuracy": 0.5} for name in "AB"]
    records = correlate_records(people, machine, coefficients=["kendall"], compared=COMPARED)
    assert [(one["human"], one["automatic"], one["shared_input"], one["shared"]) for one in records] == [
        ("degress_hj", "degress", True, "distances"),
        ("egises_hj", "egises", True, "distances"),
        ("perseval_hj", "perseval", True, "penalty and distances"),
        ("perseval_hj", "accuracy", True, "distances"),
    ]
    bare = [{**record, "normalise": "none"} for record in people]
    records = correlate_records(bare, machine, coefficients=["kendall"])
    assert [one["shared"] for one in records] == [None, None, "penalty and distances"]


def test_systems_that_only_one_side_has_are_left_out_of_n():
    records = correlate_records(
        [human("A", 0.1), human("B", 0.3), human("C", None)], [automatic(name, 0.2) for name in "BCD"]
    )
    assert {(record["n"], record["estimate"], record["reason"]) for record in records} == {
        (1, None, "fewer than two systems have both scores")
    }


@pytest.mark.parametrize(
    ("people", "machine", "message"),
    [
        (
            [human("A", 0.1)],
            [automatic("B", 0.1)],
            "no system has both human and automatic scores: human A; automatic B",
        ),
        (
            [human("A", 0.1), human("A", 0.2)],
            [automatic("A", 0.1)],
            "system 'A' stands twice under surrogate 'rouge-l'",
        ),
        (
            [{"system": "A"}],
            [automatic("A", 0.1)],
            "human scores: record 1 lacks surrogate, degress_hj, egises_hj, perseval_hj",
        ),
    ],
)
def test_records_that_do_not_fit_say_why(people, machine, message):
    with pytest.raises(InputError, match=message):
        correlate_records(people, machine)


def table(values, make, name):
    return [make(system, value, name) for system, value in zip("ABCDEF", values, strict=True)]


def test_inferred_records_are_the_records_with_how_sure_they_are():
    people = [
        *table([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], human, "x"),
        *table([0.6, 0.2, 0.3, 0.4, 0.5, 0.1], human, "y"),
    ]
    machine = [
        *table([0.2, 0.1, 0.3, 0.5, 0.4, 0.6], automatic, "m"),
        *table([0.5, 0.1, 0.3, 0.2, 0.4, 0.6], automatic, "n")[:5],
    ]
    plain, inferred = correlate_records(people, machine), infer_records(people, machine)
    assert [{name: row[name] for name in plain[0]} for row in inferred] == [
        {**row, "estimate": pytest.approx(row["estimate"])} for row in plain
    ]
    kendall = inferred[2]
    assert (kendall["n"], kendall["ci_method"], kendall["p_method"]) == (6, "esscher", "exact")
    assert kendall["p_value"] == pytest.approx(stats.kendalltau(range(6), [2, 1, 3, 5, 4, 6]).pvalue)
    by_score = [row for row in inferred if row["human"] == "degress_hj"]
    assert [row["p_adjusted"] for row in by_score] == list(
        adjust_p_values([row["p_value"] for row in by_score])
    )


def test_inferred_records_may_be_resampled():
    sides = (
        table([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], human, "x"),
        table([0.2, 0.1, 0.3, 0.5, 0.4, 0.6], automatic, "m"),
    )
    rows = infer_records(*sides, intervals=INTERVALS["documents and systems"], resamples=300, seed=3)
    assert {(row["ci_method"], row["resamples"]) for row in rows} == {("bca", 300)}
    assert rows == infer_records(*sides, intervals=INTERVALS["documents and systems"], resamples=300, seed=3)
    assert rows != infer_records(*sides, intervals=INTERVALS["documents and systems"], resamples=300, seed=4)
