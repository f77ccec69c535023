"""The benchmark of lengths compares what a score compares, and fits the slope that its numbers have."""

import numpy as np
import pytest

from meta_eval.bench.growth import make_corpus
from meta_eval.bench.lengths import PARTS, SPECS, fit_slope, gather_work, lengths_up_to, main
from meta_eval.measures import make_measure, measure_ids


def test_each_measure_has_its_seconds_at_each_length_and_a_slope(capsys):
    main(["--documents", "1", "--longest", "20", "--rounds", "1", "--measures", "rouge-l", "jsd-oov"])
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["measure", "part", "10", "20", "slope"]
    assert [row[:2] for row in rows[2:]] == [
        [spec, part] for spec in ("rouge-l", "jsd-oov") for part in PARTS
    ]
    assert {len(row) for row in rows} == {5}
    assert all(float(value) >= 0 for row in rows[2:] for value in row[2:-1])


def test_lexical_measures_are_all_there():
    assert set(SPECS) == set(measure_ids()) - {"bertscore", "infolm", "sbert", "moverscore", "bartscore"}


def test_the_work_is_what_a_score_compares():
    corpus = make_corpus(3, 1, summary_words=7)
    work = gather_work(corpus)
    # of five readers ten pairs of references and ten of summaries, and five summaries with their references
    assert len(work.first) == len(work.second) == len(work.document) == 3 * 25
    assert {len(text.split()) for text in work.texts[: work.written]} == {7}
    assert [work.texts[number] for number in np.unique(work.document)] == [
        one.text for one in corpus.documents
    ]
    document = corpus.documents[1]
    own = work.document == work.written + 1
    pairs = [(work.texts[j], work.texts[k]) for j, k in zip(work.first[own], work.second[own], strict=True)]
    gold, made = list(document.references.values()), list(document.summaries["S0"].values())
    assert pairs[0] == (gold[0], gold[1])
    assert pairs[10] == (made[0], made[1])
    assert pairs[20:] == list(zip(made, gold, strict=True))
    assert make_measure("jsd")(*pairs[20]) >= 0


def test_lengths_double_and_the_slope_is_that_of_the_last_four():
    lengths = lengths_up_to(170)
    assert lengths == [10, 20, 40, 80, 160]
    assert fit_slope(lengths, [7.0, *(1e-6 * length**1.5 for length in lengths[1:])]) == pytest.approx(1.5)


def test_one_length_has_no_slope(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--longest", "10"])
    assert left.value.code == 2
    assert "--longest must be 20 or more" in capsys.readouterr().err
