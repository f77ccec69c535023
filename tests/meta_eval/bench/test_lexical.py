"""The benchmark of the lexical measures runs, and finds the numbers of the libraries equal."""

import pytest

from meta_eval.bench.lexical import CASES, main


@pytest.mark.parametrize("tokenised", [[], ["--tokenised"]], ids=["texts", "words"])
def test_small_benchmark_gives_every_library_with_equal_numbers(monkeypatch, tmp_path, capsys, tokenised):
    monkeypatch.setenv("CONCORD_DATA", str(tmp_path))
    monkeypatch.setenv("CONCORD_SHARED", str(tmp_path / "absent"))
    main(["--scale", "0.002", "--seconds", "0.02", "--rounds", "2", *tokenised])
    lines = capsys.readouterr().out.splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    header, cases = rows[0], rows[1:]
    assert lines[0] == "97 texts, 1,200 short pairs, 452 with a document"
    assert [case[0] for case in cases] == list(CASES)
    assert {len(case) for case in cases} == {len(header)} == {14}
    assert all(float(case[header.index("differs")]) < 1e-12 for case in cases)
    assert all(float(case[header.index("ratio total")].replace(",", "")) > 1 for case in cases)
