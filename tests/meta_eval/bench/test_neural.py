"""The benchmark of the neural measures runs on any machine, and its parts hold what they promise."""

import json

import pytest

from meta_eval.bench import neural
from meta_eval.bench.neural import main
from meta_eval.bench.neural_setting import BASE, layer_flops


def test_tiny_benchmark_gives_every_part_without_an_error():
    results = main(["--tiny", "--device", "cpu"])
    failed = {name: part["error"] for name, part in results.items() if part.get("error")}
    assert failed == {}
    assert {"matmul", "documents", "summaries", "summaries_measure", "bertscore_base", "error"} <= set(
        results
    )
    assert results["torchmetrics"]["largest_difference"] < 1e-5
    assert results["summaries_measure"]["missing"] == 0
    further = ("sbert", "moverscore", "infolm_fisher-rao", "infolm_l2", "bartscore")
    for measure in further:
        assert (results[measure]["pairs"], results[measure]["missing"]) == (20, 0)
    assert results["documents"]["done_tflop"] < results["documents"]["plain_tflop"]
    for part in ("documents", "summaries"):
        found = results[part]["float8"]
        assert found["tokens_per_s"] == pytest.approx(results[part]["tokens"] / found["s"], rel=1e-2)
        rate = results["matmul"]["tflops"]
        assert found["share_of_matmul"] == pytest.approx(found["done_tflops"] / rate, rel=1e-2)
    error = results["error"]
    # Which of the two rounds worse depends on the processor, with weights so few.
    for precision in ("bfloat16", "float8"):
        assert 0 < error[precision]["distance_error_max"] < 0.2


def test_what_fails_is_recorded_and_costs_the_rest_nothing(monkeypatch, tmp_path):
    def fail(*_args, **_options):
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(neural, "bench_matmul", fail)
    monkeypatch.setattr(neural, "bench_components", fail)
    monkeypatch.setattr("meta_eval.kernels.float8.quantise_rows", fail)
    monkeypatch.setattr(neural, "bench_bertscore", fail)
    out = tmp_path / "bench.json"
    parts = "components,documents,summaries,bertscore,error"
    results = main(["--tiny", "--device", "cpu", "--parts", parts, "--out", str(out)])
    failed = {name for name, part in results.items() if "no such kernel" in part.get("error", "")}
    assert failed == {"matmul", "components", "bertscore"}
    for part in ("documents", "summaries", "error"):
        assert "no such kernel" in results[part]["float8"]["error"]
    assert results["documents"]["none_2048"]["share_of_matmul"] is None
    assert results["documents"]["none_2048"]["tokens_per_s"] > 0
    assert results["error"]["bfloat16"]["distance_error_max"] > 0
    assert json.loads(out.read_text()) == results


def test_what_there_is_no_time_for_is_named(monkeypatch):
    results = main(["--tiny", "--device", "cpu", "--parts", "bertscore,error,others", "--budget", "0"])
    assert {name for name, part in results.items() if "left_out" in part} == {"bertscore", "error", "others"}


def test_work_of_a_layer_of_bert_base_is_counted():
    # 7.08 million weights, each multiplied and added, and 512 rows of scores and of mixing over 768 numbers.
    assert layer_flops(BASE, 1, 512) == pytest.approx(2 * 7_077_888 + 4 * 512 * 768)
