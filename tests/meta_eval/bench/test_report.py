import json

from meta_eval.bench.growth import make_corpus
from meta_eval.bench.report import SPECS, main, simulate_ratings, total
from meta_eval.report.inference.infer import PARTS


def test_every_part_is_timed_and_written(tmp_path, capsys):
    out = tmp_path / "report.json"
    size = ("--documents", "12", "--rated", "6", "--systems", "4", "--resamples", "1000")
    main([*size, "--out", str(out)])
    found = json.loads(out.read_text())
    assert list(found["parts"]) == [
        "making the data",
        *(f"automatic scores: {spec}" for spec in SPECS),
        "human scores",
        "distances of the rated pairs",
        *(f"statistics: {part}" for part in PARTS),
    ]
    memory = [part["peak_bytes"] for part in found["parts"].values()]
    assert memory == sorted(memory)
    assert 0 < memory[0] <= memory[-1] <= found["peak_bytes"]
    assert (found["ratings"], found["cells"]) == (6 * 2 * 5, len(SPECS) ** 2 * 9)
    shown = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in shown[1:-1]] == [
        *found["parts"],
        "all statistics",
        "all but making the data",
    ]


def test_totals_are_of_the_parts_named():
    parts = {"making the data": 1.0, "human scores": 2.0, "statistics: cells": 3.0, "statistics: levels": 4.0}
    found = {"parts": {name: {"clock": seconds} for name, seconds in parts.items()}}
    assert total(found, "clock") == 9.0
    assert total(found, "clock", of="statistics: ") == 7.0


def test_made_up_ratings_are_a_pair_of_each_rated_document_twice_by_different_people():
    corpus = make_corpus(9, 2)
    ratings = simulate_ratings(corpus, 3)
    assert {rating.doc_id for rating in ratings} == {"d0", "d3", "d6"}
    by_pair = {}
    for rating in ratings:
        by_pair.setdefault(rating.pair, set()).add(rating.rater)
    assert {len(people) for people in by_pair.values()} == {2}
    assert len(by_pair) == 3 * 3
    assert simulate_ratings(corpus, 3) == ratings
