"""`verify`: the exit status and first line of each outcome, and each finding in words."""

import json
import zipfile

import pytest
import typer
from typer.testing import CliRunner

from meta_eval.cli import main
from meta_eval.cli.bundles import verify
from meta_eval.publish.bundle import write_bundle
from meta_eval.publish.bundle.verification import NotRecomputed, Verification
from tests.meta_eval.publish.bundle.test_bundle import CONTENT, changed

app = typer.Typer()
app.command()(verify)


@pytest.fixture
def sealed(tmp_path):
    path = tmp_path / "bundle.zip"
    with path.open("wb") as stream:
        write_bundle(stream, CONTENT)
    return path


def test_a_sound_bundle_ends_with_0(sealed):
    result = CliRunner().invoke(app, [str(sealed)])
    assert result.exit_code == 0
    assert result.stdout.startswith("Sound: the answer and all ")


def test_a_changed_bundle_ends_with_1_and_names_what_differs(sealed):
    def change(text):
        return text.replace('"ratings": 24', '"ratings": 25')

    sealed.write_bytes(changed(sealed, "report.json", change).getvalue())
    result = CliRunner().invoke(app, [str(sealed)])
    assert result.exit_code == 1
    assert "DIFFERS: ratings.ratings says 25, the data give 24." in result.stdout
    assert result.stdout.startswith("DIFFERS: report.json SHA-256 is")


@pytest.mark.parametrize(
    ("name", "put", "finding"),
    [
        (
            "report.json",
            "[" * 100_000,
            "DIFFERS: report.json not JSON: lists and objects stand in each other too deeply",
        ),
        ("ratings.csv", "x" * 40_000_000, "DIFFERS: ratings.csv not a table: field larger than field limit"),
    ],
)
def test_a_file_of_another_form_is_named(sealed, name, put, finding):
    sealed.write_bytes(changed(sealed, name, lambda _: put).getvalue())
    result = CliRunner().invoke(app, [str(sealed)])
    assert result.exit_code == 1
    assert finding in result.stdout


@pytest.mark.parametrize("name", ["report.json", "corpus.jsonl", "ratings.csv"])
def test_a_file_that_no_longer_unpacks_is_named(sealed, name, tmp_path):
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(sealed) as whole, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in whole.namelist():
            archive.writestr(member, whole.read(member))
        start = archive.getinfo(name).header_offset + 30 + len(name)
    data = bytearray(packed.read_bytes())
    data[start : start + 8] = b"\xff" * 8
    packed.write_bytes(data)
    result = CliRunner().invoke(app, [str(packed)])
    assert result.exit_code == 1
    assert f"DIFFERS: {name} cannot be read: Error -3 while decompressing data" in result.stdout


@pytest.mark.parametrize("files", [[], ["readme.txt"]])
def test_an_archive_of_something_else_is_no_bundle(files, tmp_path, capsys):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in files:
            archive.writestr(name, "text")
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(path)])
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", f"Error: {path}: not a bundle: it holds no file of one\n")


def test_what_was_not_recomputed_is_one_line_for_each_reason():
    skipped = [NotRecomputed(f"left_out[{name}]", "no texts", 2) for name in "abcde"]
    outcome = Verification(
        seal="s",
        files=(),
        differences=(),
        not_recomputed=(*skipped, NotRecomputed("subject", "no corpus", 1)),
        verified=7,
    )
    assert [line for line in outcome.lines() if line.startswith("NOT")] == [
        "NOT RECOMPUTED left_out[a], left_out[b], left_out[c] and 2 more (10 numbers): no texts",
        "NOT RECOMPUTED subject (1 numbers): no corpus",
    ]


def test_the_outcome_as_json_holds_every_finding(sealed, tmp_path):
    sealed.write_bytes(changed(sealed, "study.json", lambda _: None).getvalue())
    out = tmp_path / "outcome.json"
    assert CliRunner().invoke(app, [str(sealed), "--json", "--out", str(out)]).exit_code == 1
    found = json.loads(out.read_text(encoding="utf-8"))
    assert (found["is_sound"], found["verified"]) == (False, 0)
    assert found["files"] == [{"file": "study.json", "problem": "is missing"}]
