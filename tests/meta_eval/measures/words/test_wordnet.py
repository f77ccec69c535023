import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from meta_eval.errors import MeasureError
from meta_eval.measures.words.wordnet import (
    ARCHIVE,
    FOLDER,
    _move_into_place,
    data_folder,
    load_wordnet,
    unpack_wordnet,
)

ROOT = Path(__file__).parents[4]
KINDS = ("adj", "adv", "noun", "verb")


def test_the_archive_holds_wordnet_and_its_licence():
    with tarfile.open(ROOT / "meta_eval" / "data" / ARCHIVE) as packed:
        names = {member.name.removeprefix(f"{FOLDER}/") for member in packed.getmembers()}
    expected = {"LICENSE", "lexnames"}
    for kind in KINDS:
        expected |= {f"data.{kind}", f"index.{kind}", f"{kind}.exc"}
    assert names == expected


def is_synset(line):
    """The licence at the top of each file is indented."""
    return not line.startswith("  ")


def test_it_is_wordnet_three():
    reader = load_wordnet()
    assert reader.get_version() == "3.0"
    assert sum(is_synset(line) for kind in KINDS for line in reader.open(f"data.{kind}")) == 117_659
    assert reader.synset("inhibit.v.04").lemma_names() == ["inhibit", "bottle_up", "suppress"]


def test_unpacking_happens_once(tmp_path):
    place = unpack_wordnet(tmp_path)
    written = (place / "data.noun").stat().st_mtime_ns
    assert unpack_wordnet(tmp_path) == place
    assert (place / "data.noun").stat().st_mtime_ns == written
    assert [path.name for path in tmp_path.iterdir()] == [FOLDER]


def test_processes_may_unpack_at_once(tmp_path):
    code = (
        "from meta_eval.measures.words.wordnet import data_folder, unpack_wordnet\n"
        "print(unpack_wordnet(data_folder()).name)"
    )
    environment = {**os.environ, "CONCORD_DATA": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in running] == [FOLDER.encode()] * 3
    assert [process.returncode for process in running] == [0] * 3
    assert [path.name for path in tmp_path.iterdir()] == [FOLDER]
    with tarfile.open(ROOT / "meta_eval" / "data" / ARCHIVE) as packed:
        sizes = {Path(member.name).name: member.size for member in packed.getmembers()}
    assert {path.name: path.stat().st_size for path in (tmp_path / FOLDER).iterdir()} == sizes


def test_a_slower_process_leaves_the_first_ones_folder(tmp_path):
    unpack_wordnet(tmp_path)
    (tmp_path / FOLDER / "mark").touch()
    aside = tmp_path / "aside"
    aside.mkdir()
    (aside / "file").touch()
    _move_into_place(aside, tmp_path / FOLDER)
    assert (tmp_path / FOLDER / "mark").exists()


def test_a_missing_archive_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("meta_eval.measures.words.wordnet.files", lambda _: tmp_path)
    with pytest.raises(MeasureError, match=r"wordnet-3\.0\.tar\.xz is missing\. Reinstall the package"):
        unpack_wordnet(tmp_path)


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(MeasureError, match="Set CONCORD_DATA to a folder that can be written"):
        unpack_wordnet(tmp_path / "file" / "below")


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "{base}/concord"),
        ("win32", "LOCALAPPDATA", "{base}/concord"),
        ("darwin", "HOME", "{base}/Library/Caches/concord"),
    ],
)
def test_the_platforms_cache_folder_is_used(monkeypatch, tmp_path, platform, variable, expected):
    monkeypatch.delenv("CONCORD_DATA")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert data_folder() == Path(expected.format(base=tmp_path))
