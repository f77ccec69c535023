"""The answer of a report: what it names, what it warns of, and when there is none."""

from itertools import combinations, permutations

import pytest

from meta_eval.measures import registry
from meta_eval.report.answer import chance_tau, measure_title
from tests.meta_eval.report.test_assembling import UNTESTED, answer, automatic, human, report


@pytest.mark.parametrize("n", range(2, 8))
def test_chance_tau_agrees_with_all_rankings_written_out(n):
    pairs = list(combinations(range(n), 2))
    taus = [
        sum(1 if order[i] < order[j] else -1 for i, j in pairs) / len(pairs)
        for order in permutations(range(n))
    ]
    reached = [
        tau
        for tau in sorted({abs(tau) for tau in taus})
        if tau > 0 and sum(abs(other) >= tau - 1e-12 for other in taus) <= 0.05 * len(taus)
    ]
    assert chance_tau(n) == (pytest.approx(reached[0]) if reached else None)


def test_chance_tau_of_ten_systems_is_the_tabled_critical_value():
    assert chance_tau(10) == pytest.approx(23 / 45)  # Kendall's S = 23, two-sided 5 %


def test_a_title_loads_no_other_measure(monkeypatch):
    loaded, load = [], registry.built_in_class
    monkeypatch.setattr(registry, "built_in_class", lambda *asked: loaded.append(asked) or load(*asked))
    assert (measure_title("jsd"), measure_title("gone")) == ("Jensen-Shannon", "gone")
    assert loaded == [("jsd", "paper")]


def test_the_answer_names_the_best_measure_and_the_next_with_their_spread():
    found = answer(
        ("jsd", (0.1, 0.2, 0.3, 0.5, 0.4)),
        ("rouge-l", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("bleu", (0.5, 0.4, 0.3, 0.2, 0.1)),
    )
    assert found["sentence"] == (
        "DEGRESS by ROUGE-L has the highest coefficient: Kendall's tau 1.00 over 5 systems. "
        f"Then come Jensen-Shannon (0.80) and BLEU (−1.00). {UNTESTED}"
    )
    assert [(entry["measure"], entry["mean"], entry["n"]) for entry in found["ranking"]] == [
        ("rouge-l", pytest.approx(1.0), 5),
        ("jsd", pytest.approx(0.8), 5),
        ("bleu", pytest.approx(-1.0), 5),
    ]


def test_over_several_surrogates_the_answer_is_the_mean_with_its_range():
    records = automatic((0.1, 0.2, 0.3, 0.4, 0.5))
    people = human((0.1, 0.2, 0.3, 0.4, 0.5)) + human((0.1, 0.2, 0.3, 0.5, 0.4), surrogate="bleu")
    (entry,) = report(records, people)["answer"]["ranking"]
    assert (entry["mean"], entry["low"], entry["high"], entry["surrogates"]) == (
        pytest.approx(0.9),
        pytest.approx(0.8),
        pytest.approx(1.0),
        2,
    )
    assert report(records, people)["answer"]["sentence"] == (
        "DEGRESS by ROUGE-L has the highest coefficient: Kendall's tau 0.90 over 5 systems "
        f"(mean over 2 surrogates, 0.80 to 1.00). {UNTESTED}"
    )


@pytest.mark.parametrize(
    ("measures", "sentence"),
    [
        (
            (("jsd", (0.1, 0.2, 0.3, 0.4, 0.5)), ("bleu", (0.2, 0.3, 0.4, 0.5, 0.6))),
            "DEGRESS by Jensen-Shannon and BLEU have the highest coefficient: "
            f"Kendall's tau 1.00 over 5 systems. {UNTESTED}",
        ),
        (
            (
                ("jsd", (0.1, 0.2, 0.3, 0.4, 0.5)),
                ("bleu", (0.2, 0.3, 0.4, 0.5, 0.6)),
                ("rouge-l", (0.1, 0.2, 0.3, 0.5, 0.4)),
            ),
            "DEGRESS by Jensen-Shannon and BLEU have the highest coefficient: "
            f"Kendall's tau 1.00 over 5 systems. Then comes ROUGE-L (0.80). {UNTESTED}",
        ),
        (
            (("jsd", (0.5, 0.4, 0.3, 0.2, 0.1)),),
            "No measure agrees with the raters. The best, DEGRESS by Jensen-Shannon, reaches "
            "Kendall's tau −1.00 over 5 systems.",
        ),
        (
            (("jsd", (0.5,) * 5),),
            "No measure could be compared with the raters on DEGRESS: "
            "one side has the same score for every system.",
        ),
    ],
)
def test_ties_disagreement_and_no_answer_are_said(measures, sentence):
    assert answer(*measures)["sentence"] == sentence


def test_cautions_say_what_so_few_systems_can_tell():
    found = answer(
        ("jsd", (0.1, 0.2, 0.3, 0.4, 0.5)), ("bleu", (0.1, 0.2, 0.3, 0.4, 0.4)), surrogates=("rouge-l",)
    )
    assert found["cautions"] == [
        "5 systems are few: two neighbours that change places move tau by 0.20, and up to 1 in 20 unrelated "
        "rankings reach 1.00 or more in either direction.",
        "Between Jensen-Shannon and BLEU lies less than one such change of places: read them as equal.",
    ]


def test_measures_a_whole_change_apart_or_equal_need_no_such_caution():
    apart = answer(
        ("jsd", (0.1, 0.2, 0.3, 0.4, 0.5)), ("bleu", (0.1, 0.2, 0.3, 0.5, 0.4)), surrogates=("rouge-l",)
    )
    equal = answer(
        ("jsd", (0.1, 0.2, 0.3, 0.4, 0.5)), ("bleu", (0.1, 0.2, 0.3, 0.4, 0.5)), surrogates=("rouge-l",)
    )
    assert (len(apart["cautions"]), len(equal["cautions"])) == (1, 1)


def test_fewer_than_five_systems_can_agree_by_chance():
    (caution,) = answer(("bleu", (0.1, 0.2, 0.3)), people=(0.1, 0.2, 0.3))["cautions"]
    assert caution.endswith(
        "more than 1 in 20 unrelated rankings agree perfectly or run exactly the other way."
    )


def test_a_shared_measure_is_pointed_out():
    found = answer(("jsd", (0.1, 0.2, 0.3, 0.4, 0.5)))
    assert found["cautions"][-1].startswith("Where surrogate and measure are the same")
