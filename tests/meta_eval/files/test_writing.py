"""Places for results: refused before the work, and in words where the work cannot be written after all."""

import pytest

from meta_eval.cli import main
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.errors import InputError
from meta_eval.files.writing import require_file_place, require_folder_place, write_bytes
from meta_eval.ratings.responses import write_responses
from tests.meta_eval.strategies import document

NOWHERE = "/proc/nowhere/below/x.json"
"""Nobody can make a folder there, not even the machine's owner."""


def test_a_file_is_written_whole_below_new_folders(tmp_path):
    out = tmp_path / "a" / "b" / "x.json"
    require_file_place(out)
    assert list(tmp_path.iterdir()) == []
    write_bytes(b"one", out)
    write_bytes(b"two", out)
    assert out.read_bytes() == b"two"
    assert [path.name for path in out.parent.iterdir()] == ["x.json"]


@pytest.fixture
def places(tmp_path):
    (tmp_path / "file").write_text("kept")
    return {"file": tmp_path / "file", "folder": tmp_path, "long": tmp_path / ("x" * 400)}


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("{folder}", "{folder}: is a folder; name a file"),
        ("{file}/x.json", "{file}: is no folder; nothing can be written below it"),
        ("{file}/deeper/x.json", "{file}: is no folder; nothing can be written below it"),
        ("{long}", "{long}: cannot be written: File name too long"),
        (NOWHERE, "/proc/nowhere/below: cannot be written: No such file or directory"),
    ],
)
def test_a_place_for_no_file_is_refused_before_the_work(out, message, places, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["measures", "--out", out.format(**places)])
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", f"Error: {message.format(**places)}\n")
    assert places["file"].read_text() == "kept"


def test_a_folder_may_be_there_or_not_but_is_no_file(places):
    require_folder_place(places["folder"])
    require_folder_place(places["folder"] / "new" / "one")
    with pytest.raises(InputError, match=r"file: is no folder"):
        require_folder_place(places["file"])


@pytest.mark.parametrize(
    ("command", "option"), [("report", "--out"), ("distances export", "--out"), ("export-responses", "--out")]
)
def test_every_command_that_writes_asks_first(command, option, places, tmp_path, capsys):
    corpus = tmp_path / "corpus.jsonl"
    with corpus.open("w") as stream:
        write_jsonl(Corpus((document("d1", S={"r1": "a"}),)), stream)
    more = {
        "report": [corpus, corpus, "-m", "jsd", "--surrogate", "jsd", "--scale", "similarity"],
        "distances export": [corpus, "-m", "jsd"],
        "export-responses": [corpus, corpus],
    }[command]
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), *map(str, more), option, f"{places['file']}/x"])
    assert ended.value.code == 2
    assert capsys.readouterr() == (
        "",
        f"Error: {places['file']}: is no folder; nothing can be written below it\n",
    )


def test_what_is_typed_must_be_text_that_a_file_can_hold(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["measures", "--out", "a\udcff.json"])
    assert ended.value.code == 2
    message = "Error: 'a\\udcff.json' is not UTF-8 text; write it, or rename the file, in UTF-8\n"
    assert capsys.readouterr() == ("", message)


def test_survey_responses_go_to_a_new_file(places, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["export-responses", "no.jsonl", "no.csv", "--out", str(places["file"])])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"Error: {places['file']}: is there already; name a new file\n"


@pytest.mark.parametrize("write", [lambda out: write_bytes(b"", out), lambda out: write_responses([], out)])
def test_what_cannot_be_written_after_all_names_the_place(write, places):
    for out in (places["file"] / "x", places["folder"] / ("x" * 400 + "/y")):
        with pytest.raises(InputError) as caught:
            write(out)
        (fault,) = caught.value.faults
        assert str(fault).startswith(str(places["folder"]))
        assert len(str(fault).splitlines()) == 1
