"""A bundle with a neural measure: its distances are sealed, or it is verified beside the model alone."""

import csv
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from pandas import DataFrame

import meta_eval
from meta_eval.errors import InputError
from meta_eval.publish.bundle import verify_bundle, write_bundle
from tests.meta_eval.publish.bundle.test_bundle import changed
from tests.meta_eval.surveys import make_content, make_corpus, make_rows

MODEL = "tiny-bert"


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A model folder in the working folder, and the bundle that was made with its full path."""
    neural_models = pytest.importorskip("tests.meta_eval.neural_models", reason="torch is not installed")
    monkeypatch.chdir(tmp_path)
    return neural_models.save_bert(tmp_path / MODEL)


def sealed(model: Path) -> io.BytesIO:
    spec = f"infolm:model={model},max_length=64"
    content = make_content(measures=("rouge-l", spec), surrogates=("rouge-l",))
    stream = io.BytesIO()
    write_bundle(stream, content)
    return stream


def test_beside_its_model_every_number_is_recomputed(model):
    found = verify_bundle(sealed(model))
    assert (found.files, found.differences) == ((), ())
    assert found.not_recomputed == ()


def test_without_the_model_its_numbers_are_open_and_the_others_verified(model, monkeypatch):
    bundle = sealed(model)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(model.parent.parent)
    found = verify_bundle(bundle)
    assert (found.files, found.differences) == ((), ())
    reasons = {row.path: row.why for row in found.not_recomputed}
    assert MODEL in reasons["leaderboard[automatic, infolm, perseval, Copy]"]
    assert "leaderboard[automatic, rouge-l, perseval, Copy]" not in reasons


def test_another_model_under_the_same_name_is_found_out(model):
    import torch
    from safetensors.torch import load_file, save_file

    bundle = sealed(model)
    weights = load_file(model / "model.safetensors")
    torch.manual_seed(1)
    changed = {name: value + 0.05 * torch.randn_like(value) for name, value in weights.items()}
    save_file(changed, model / "model.safetensors", metadata={"format": "pt"})
    found = {difference.path: difference for difference in verify_bundle(bundle).differences}
    assert "signatures[automatic, infolm].signature.revision" in found
    assert "leaderboard[automatic, infolm, degress, Long & wide].value" in found
    assert {difference.tolerance for path, difference in found.items() if "infolm" in path} <= {1e-5, None}
    assert not any(path.startswith("leaderboard[automatic, rouge-l") for path in found)


QUICK = meta_eval.InferenceOptions(resamples=40, shuffles=40, splits=10, simulations=10)


def of_library(model: Path, *, precision: str, shift: float = 0.0) -> io.BytesIO:
    """The bundle of a report that the library makes; with a `shift`, of one whose distances are forged."""
    corpus = make_corpus()
    first = corpus.documents[0]
    odd = {**first.summaries["Copy"], "reader1": "漢字 漢字 漢字 漢字 bridge"}  # not known to the tokenizer
    documents = (replace(first, summaries={**first.summaries, "Copy": odd}), *corpus.documents[1:])
    corpus = replace(corpus, documents=documents)
    spec = f"infolm:model={model},max_length=64,precision={precision}"
    made = meta_eval.make_report(
        corpus,
        meta_eval.read_ratings(DataFrame(make_rows()), corpus),
        measures=["rouge-l", spec],
        surrogates=[spec],
        scale="similarity",
        inference=QUICK,
    )
    content = made.content().bundle()
    if shift:
        content = replace(content, sealed=[shifted(one, shift) for one in content.sealed])
    stream = io.BytesIO()
    write_bundle(stream, content)
    return stream


def shifted(one, shift):
    return replace(one, book=replace(one.book, values=one.book.values + shift * (one.book.values > 0)))


@pytest.fixture
def elsewhere(model, tmp_path_factory, monkeypatch):
    """Nothing of the model is found by its name."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    def leave():
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))

    return leave


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_in_any_precision_all_behind_the_distances_is_exact_and_the_model_checks_these(
    precision, model, elsewhere
):
    made = of_library(model, precision=precision)
    elsewhere()
    found = verify_bundle(made)
    assert (found.outcome, found.differences) == ("sound", ())
    assert [f"in {precision}" in one.what for one in found.stated if "model-distances" in one.path] == [True]
    beside = verify_bundle(made, models=[model])
    assert (beside.outcome, beside.verified) == ("sound", found.verified)
    assert not any("model-distances" in one.path for one in beside.stated)
    assert any("model-distances.csv[infolm]" in note for note in beside.notes)


def test_distances_that_the_model_does_not_give_are_found_out(model):
    """Sealed with all that follows from them, only the model tells: beyond what rounding may do."""
    forged = of_library(model, precision="bfloat16", shift=0.05)
    found = verify_bundle(forged, models=[model])
    assert "model-distances.csv[infolm]" in {one.path for one in found.differences}


def test_a_distance_that_was_changed_or_taken_away_moves_the_numbers(model):
    made = of_library(model, precision="float32")

    def change(text):
        rows = list(csv.reader(text.splitlines()))
        rows = [[*row[:3], "0.5"] if row[3] not in ("distance", "0.0") else row for row in rows]
        return "\n".join(map(",".join, rows)) + "\n"

    found = verify_bundle(changed(made, "model-distances.csv", change, reseal=True))
    assert any(one.path.startswith("leaderboard[automatic, infolm") for one in found.differences)
    shorter = verify_bundle(
        changed(made, "model-distances.csv", lambda text: text[: text[:-1].rindex("\n") + 1], reseal=True)
    )
    assert shorter.outcome == "incomplete"


def test_a_folder_of_another_model_is_refused(model, tmp_path):
    from tests.meta_eval.neural_models import save_roberta

    made = of_library(model, precision="float32")
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(InputError, match="holds no model of this report"):
        verify_bundle(made, models=[save_roberta(other)])
    with pytest.raises(InputError, match=r"config\.json"):
        verify_bundle(made, models=[tmp_path])


def test_another_option_than_that_of_the_distances_is_found_out(model):
    made = of_library(model, precision="float32")
    other = changed(
        made, "report.json", lambda text: text.replace("max_length=64", "max_length=32"), reseal=True
    )
    assert "signatures[automatic, infolm].signature.max_length" in {
        one.path for one in verify_bundle(other).differences
    }


def test_the_distances_are_held_once_with_the_signature_that_gave_them(model):
    with zipfile.ZipFile(of_library(model, precision="bfloat16")) as archive:
        rows = list(csv.DictReader(io.TextIOWrapper(archive.open("model-distances.csv"))))
        report = archive.read("report.json").decode()
    assert {row["signature"] for row in rows} == {next(row["signature"] for row in rows)}
    assert rows[0]["signature"] in report
    assert '"precision": "bfloat16"' in report
    assert '"device": "cpu"' in report
