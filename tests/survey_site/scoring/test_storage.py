"""Contribution files: whole or not there."""

import numpy as np
import pytest

from meta_eval.scores.contributions import Contributions
from survey_site.common.errors import NotFoundError
from survey_site.scoring import storage

KEY = "ab" + "0" * 62


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    return tmp_path


def contributions(degress):
    values = np.array(degress, dtype=np.float64)
    return Contributions(
        systems=("A", "B"),
        documents=("x", "y", "z"),
        degress=values,
        perseval=values / 3,
        accuracy=1 - values,
        penalty=values / 7,
        pairs=np.arange(6).reshape(2, 3),
    )


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_every_number_comes_back_exactly_and_missing_stays_missing():
    saved = contributions([[0.1, 1 / 3, np.nan], [np.nan, 0.0, 1.0]])
    found = storage.load_contributions(storage.save_contributions(saved, key=KEY))
    assert (found.systems, found.documents) == (saved.systems, saved.documents)
    for name in ("degress", "perseval", "accuracy", "penalty", "pairs"):
        np.testing.assert_array_equal(getattr(found, name), getattr(saved, name))


def test_a_write_that_breaks_off_leaves_the_old_file_and_nothing_else(folder, monkeypatch):
    name = storage.save_contributions(contributions([[0.5] * 3] * 2), key=KEY)

    def break_off(_table, file):
        file.write(b"half a file")
        raise OSError("disk full")

    monkeypatch.setattr(storage.pq, "write_table", break_off)
    with pytest.raises(OSError, match="disk full"):
        storage.save_contributions(contributions([[0.9] * 3] * 2), key=KEY)
    assert files(folder) == [f"{KEY}.parquet"]
    assert storage.load_contributions(name).degress.tolist() == [[0.5] * 3] * 2


@pytest.mark.parametrize("name", ["", "contributions/ab/gone.parquet"])
def test_a_file_that_is_gone_says_what_to_do(name):
    assert not storage.has_contributions(name)
    with pytest.raises(NotFoundError, match="not in the data folder"):
        storage.load_contributions(name)


def test_a_file_of_an_earlier_release_without_the_penalty_counts_as_none(folder):
    name = storage.save_contributions(contributions([[0.5] * 3] * 2), key=KEY)
    assert storage.has_contributions(name)
    earlier = storage.pq.read_table(folder / name).drop_columns(["penalty"])
    storage.pq.write_table(earlier, folder / name)
    assert not storage.has_contributions(name)
    with pytest.raises(NotFoundError, match="not in the data folder"):
        storage.load_contributions(name)


def test_the_file_is_a_table_that_others_can_read(folder):
    saved = contributions([[0.5, np.nan, 0.25], [1.0, 0.0, np.nan]])
    table = storage.pq.read_table(folder / storage.save_contributions(saved, key=KEY))
    assert [(row["system"], row["document"], row["degress"], row["pairs"]) for row in table.to_pylist()] == [
        ("A", "x", 0.5, 0),
        ("A", "y", None, 1),
        ("A", "z", 0.25, 2),
        ("B", "x", 1.0, 3),
        ("B", "y", 0.0, 4),
        ("B", "z", None, 5),
    ]
