import json

from meta_eval.bench.growth import make_corpus
from meta_eval.bench.report import SPECS, main, simulate_ratings
from meta_eval.inference import PARTS


def test_every_part_is_timed_and_written(tmp_path, capsys):
    out = tmp_path / "report.json"
    size = ("--documents", "12", "--rated", "6", "--systems", "4", "--resamples", "1000")
    main([*size, "--out", str(out)])
    found = json.loads(out.read_text())
    parts = [name.removeprefix("statistics: ") for name in found["seconds"] if name.startswith("statistics")]
    assert parts == list(PARTS)
    assert [name for name in found["seconds"] if name.startswith("automatic")] == [
        f"automatic scores: {spec}" for spec in SPECS
    ]
    assert (found["ratings"], found["cells"]) == (6 * 2 * 5, len(SPECS) ** 2 * 9)
    assert "all statistics" in capsys.readouterr().out


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
