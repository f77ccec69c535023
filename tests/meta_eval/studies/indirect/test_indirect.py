"""The indirect method: worked by hand, held for any ratings, and run on people's ratings of SQuALITY."""

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.cli import main
from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.ratings.rating import RatedPair
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.human import score_humans
from meta_eval.scores.perseval import PenaltyOptions, effective_penalty
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.studies.indirect import (
    IndirectOptions,
    RatedDocument,
    prepare_study,
    read_rated_summaries,
    score_annotators,
)
from tests.meta_eval.studies.indirect.test_reading import jsonl

TEXTS = {"P": "storm hits the bridge", "Q": "river floods", "R": "the storm and the river"}
EPSILON = 1e-5


def rated(ratings, *, name="d", texts=TEXTS):
    return RatedDocument(name, "", "A storm hit the bridge and the river flooded.", texts, ratings)


def by_hand():
    """a finds P excellent and Q middling; b finds both excellent; c finds nothing so."""
    return rated(
        {"a": {"P": 7, "Q": 4}, "b": {"P": 7, "Q": 7}, "c": {"P": 6, "Q": 1}},
        texts={"P": "storm", "Q": "river"},
    )


def test_gold_is_what_was_rated_high_and_a_surrogate_repeats():
    study = prepare_study([by_hand()])
    (document,) = study.corpus.documents
    assert document.references == {"a": "storm", "b": "storm river"}  # k = 1 and 2; c has no gold
    assert document.summaries == {
        "P": {"a": "storm", "b": "storm storm"},  # 1 + (7 - 7), 2 + (7 - 7)
        "Q": {"a": "river river river river", "b": "river river"},  # 1 + (7 - 4), 2 + (7 - 7)
    }
    assert study.divergences.divergences == {
        RatedPair("d", "P", "a", "b"): 0.0,
        RatedPair("d", "Q", "a", "b"): 0.5,  # |4 - 7| / 6
        RatedPair("d", GOLD, "a", "b"): 0.25,  # over P and Q, which are gold of b
    }


def test_the_printed_formulas_compare_mean_ratings_of_golds():
    """a's gold is P (7), b's P and Q (7 and 6.5): means 7 and 6.75 of a range of 6."""
    ratings = {"a": {"P": 7, "Q": 4}, "b": {"P": 7, "Q": 6.5}, "c": {"P": 6, "Q": 1}}
    study = prepare_study([rated(ratings, texts={"P": "storm", "Q": "river"})], IndirectOptions(form="paper"))
    assert study.divergences.divergences == {
        RatedPair("d", "P", "a", "b"): 0.0,
        RatedPair("d", "Q", "a", "b"): pytest.approx(2.5 / 6),
        RatedPair("d", GOLD, "a", "b"): pytest.approx(0.25 / 6),
    }
    assert study.accuracy == {
        ("d", "P", "a"): 0.0,
        ("d", "Q", "a"): pytest.approx(3 / 6),
        ("d", "P", "b"): pytest.approx(0.25 / 6),
        ("d", "Q", "b"): pytest.approx(0.25 / 6),
    }
    assert (study.counts["gold_pairs"], study.counts["gold_pairs_alike"]) == (1, 0)


def test_the_printed_penalty_is_of_ratings_and_the_surrogate_weighs_alone():
    ratings = {"a": {"P": 7, "Q": 4}, "b": {"P": 7, "Q": 6.5}}
    study = prepare_study([rated(ratings, texts={"P": "storm", "Q": "river"})], IndirectOptions(form="paper"))
    found = [score_annotators(study, make_measure(name), normalise="none") for name in ("rouge-l", "jsd")]
    for one in found:
        row = one.contributions.systems.index("Q")
        penalty = effective_penalty(np.array([3 / 6, 0.25 / 6]), PenaltyOptions())
        degress = one.contributions.degress[row, 0]
        assert one.contributions.perseval[row, 0] == pytest.approx(degress * penalty.mean(), rel=1e-9)
    np.testing.assert_array_equal(found[0].contributions.perseval, found[1].contributions.perseval)


def test_whole_ratings_leave_the_printed_golds_alike_and_that_is_said(capsys, rated_file):
    arguments = ("indirect", rated_file, "-m", "rouge-l", "--surrogate", "bleu", "--form", "paper")
    with pytest.raises(SystemExit) as left:
        main(list(map(str, arguments)))
    captured = capsys.readouterr()
    counts = json.loads(captured.out)["counts"]
    assert (left.value.code, counts["gold_pairs"], counts["gold_pairs_alike"]) == (0, 3, 3)
    assert json.loads(captured.out)["options"]["form"] == "paper"
    assert "the golds of all 3 pairs of annotators are rated alike, so their divergence is 0" in captured.err


def test_a_form_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="form is ours or paper, not 'printed'"):
        IndirectOptions(form="printed")


def test_human_scores_come_out_as_worked_by_hand():
    study = prepare_study([by_hand()])
    found = score_humans(study.corpus, study.divergences, make_measure("rouge-l"), normalise="none")
    scores = {record["system"]: record["degress_hj"] for record in found.records()}
    # One other reader each, so every weight is 1: X = 0.25 and Y = 0 or 0.5.
    assert scores["P"] == pytest.approx(EPSILON / (0.25 + EPSILON))
    assert scores["Q"] == pytest.approx((0.25 + EPSILON) / (0.5 + EPSILON))


def test_who_does_not_qualify_is_counted():
    documents = [
        by_hand(),
        rated({"a": {"P": 7}, "b": {"P": 2}}, name="alone"),
        rated({"b": {"P": 1}}, name="nobody"),
    ]
    assert prepare_study(documents).counts == {
        "documents": 3,
        "annotators": 3,
        "cases": 6,
        "cases_without_gold": 3,
        "documents_without_case": 1,
        "documents_with_one_case": 1,
        "documents_used": 1,
        "cases_used": 2,
        "annotators_used": 2,
        "gold_pairs": 1,
        "gold_pairs_alike": 0,
    }
    with pytest.raises(InputError, match="two annotators with gold: 2 of 3 cases rate nothing"):
        prepare_study(documents[1:])


def test_what_was_not_rated_is_missing():
    study = prepare_study([rated({"a": {"P": 7, "Q": 7}, "b": {"P": 7}, "c": {"R": 7}})])
    (document,) = study.corpus.documents
    assert document.summaries["Q"] == {"a": f"{TEXTS['Q']} {TEXTS['Q']}"}
    pairs = study.divergences.divergences
    assert {pair.reader_b for pair in pairs if pair.reader_a == "a"} == {"b"}
    assert not any("c" in (pair.reader_a, pair.reader_b) for pair in pairs)  # shares no rating with anybody
    assert pairs[RatedPair("d", GOLD, "a", "b")] == 0.0


def test_other_scales_are_taken_onto_the_papers():
    options = IndirectOptions(lowest=0, highest=100)
    assert [options.step(rating) for rating in (0, 50, 100)] == [1, 4, 7]
    assert [options.is_gold(rating) for rating in (83, 84)] == [False, True]
    assert [options.repeats(1, rating) for rating in (100, 95, 90, 50, 0)] == [1, 1, 2, 4, 7]
    assert IndirectOptions(lowest=0, highest=100, r_max=10, gold_above=9).repeats(2, 0) == 11


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lowest": 7, "highest": 7}, "ratings need a range"),
        ({"r_max": float("inf")}, "r_max must be a number from -1000 to 1000, not inf"),
        ({"highest": float("nan")}, "highest must be a number from -1000 to 1000, not nan"),
        ({"lowest": -1e308}, "lowest must be a number from -1000 to 1000, not -1e\\+308"),
        ({"gold_above": 7}, "gold_above must be at least 1 and below r_max"),
        ({"gold_above": 0.5}, "gold_above must be at least 1 and below r_max"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        IndirectOptions(**options)


RATINGS = st.dictionaries(
    st.sampled_from("abcd"),
    st.dictionaries(st.sampled_from("PQR"), st.integers(1, 7), min_size=1),
    min_size=2,
)


@given(RATINGS)
def test_scores_lie_in_bounds_whatever_people_give(ratings):
    try:
        study = prepare_study([rated(ratings)])
    except InputError:
        return
    assert all(0.0 <= value <= 1.0 for value in study.divergences.divergences.values())
    measure = make_measure("rouge-l")
    for record in score_systems(study.corpus, measure).records():
        if record["degress"] is not None:
            assert 0.0 <= record["perseval"] <= record["degress"] <= 1.0
    if study.divergences.systems:
        for record in score_humans(study.corpus, study.divergences, measure).records():
            if record["degress_hj"] is not None:
                assert 0.0 <= record["perseval_hj"] <= record["degress_hj"] <= 1.0


@given(
    st.dictionaries(st.sampled_from("PQR"), st.integers(1, 7), min_size=1).filter(lambda x: 7 in x.values())
)
def test_annotators_who_agree_in_all_leave_nothing_to_personalise(given_by_each):
    study = prepare_study([rated(dict.fromkeys("abc", given_by_each))])
    measure = make_measure("rouge-l")
    assert {record["degress"] for record in score_systems(study.corpus, measure).records()} <= {1.0, None}
    assert set(study.divergences.divergences.values()) == {0.0}
    found = score_humans(study.corpus, study.divergences, measure)
    assert {record["degress_hj"] for record in found.records()} == {1.0}


@given(RATINGS, st.randoms(use_true_random=False))
def test_the_order_of_ratings_changes_nothing(ratings, rng):
    names = list(ratings)
    rng.shuffle(names)
    turned = {name: dict(reversed(ratings[name].items())) for name in names}
    try:
        study = prepare_study([rated(ratings)])
    except InputError:
        return
    assert prepare_study([rated(turned)]) == study


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(["indirect", *map(str, arguments)])
    return left.value.code, capsys.readouterr().out


@pytest.fixture
def rated_file(tmp_path):
    path = tmp_path / "rated.jsonl"
    ratings = [
        {"annotator": one, "system": policy, "overall": rating}
        for one, given_by in {"a": (7, 5, 2), "b": (7, 7, 1), "c": (6, 7, 3)}.items()
        for policy, rating in zip(TEXTS, given_by, strict=True)
    ]
    path.write_bytes(jsonl(systems=TEXTS, ratings=ratings))
    return path


def test_the_command_writes_scores_and_correlations(capsys, rated_file):
    arguments = (rated_file, "-m", "rouge-l", "--surrogate", "bleu")
    status, out = run(capsys, *arguments)
    found = json.loads(out)
    assert status == 0
    assert found["counts"]["cases_used"] == 3
    human = {record["system"]: record["degress_hj"] for record in found["human"]}
    machine = {record["system"]: record["degress"] for record in found["automatic"]}
    expected = correlate(
        [human[name] for name in TEXTS], [machine[name] for name in TEXTS], "kendall"
    ).estimate
    assert [
        row["estimate"]
        for row in found["correlations"]
        if (row["automatic"], row["coefficient"]) == ("degress", "kendall")
    ] == [expected]
    _, text = run(capsys, *arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["system"]: float(row["value"]) for row in rows if row["name"] == "degress_hj"} == human
    assert [row["section"] for row in rows].count("correlations") == len(found["correlations"])
    _, text = run(capsys, *arguments, "--system", "P")
    assert {row["system"] for side in ("human", "automatic") for row in json.loads(text)[side]} == {"P"}


@pytest.mark.shared
def test_peoples_ratings_of_squality_give_scores_of_all_three_policies(shared):
    path = shared / "data" / "squality" / "rated_summaries.jsonl"
    documents = read_rated_summaries(path, lowest=0, highest=100)
    study = prepare_study(documents, IndirectOptions(lowest=0, highest=100))
    assert study.counts == {
        "documents": 100,
        "annotators": 4,
        "cases": 300,
        "cases_without_gold": 38,
        "documents_without_case": 1,
        "documents_with_one_case": 8,
        "documents_used": 91,
        "cases_used": 254,
        "annotators_used": 4,
        "gold_pairs": 235,
        "gold_pairs_alike": 30,
    }
    human = score_humans(study.corpus, study.divergences, make_measure("jsd"), normalise="none").records()
    assert [record["system"] for record in human] == ["bart", "bart-dpr", "human"]
    # Where the human summary alone is gold of both annotators, its divergence is that of the golds.
    assert human[2]["degress_hj"] > 0.9
    assert max(human[0]["degress_hj"], human[1]["degress_hj"]) < 0.5
    # Word shares are the same however often a text is repeated.
    blind = score_systems(study.corpus, make_measure("jsd"), normalise="none").records()
    assert len({round(record["degress"], 12) for record in blind}) == 1
