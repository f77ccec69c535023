"""Distances from outside: what a table may hold, and what is said of one that cannot be used."""

from pathlib import Path

import numpy as np
import pytest

from meta_eval.distances.given import read_given
from meta_eval.errors import InputError, MeasureError
from meta_eval.measures.given import given_measure


def read(folder: Path, text: str, name: str = "mine"):
    (folder / "table.csv").write_text(text, encoding="utf-8")
    return given_measure(read_given(name, folder, lambda: None))()


def test_a_table_of_texts_is_a_measure(tmp_path):
    measure = read(tmp_path, "id,first,second,distance\n1,a,b,0.25\n2,a,c,\n")
    assert measure("a", "b") == 0.25
    np.testing.assert_array_equal([measure("a", "c"), measure("a", "new")], [np.nan, np.nan])


def test_one_direction_stands_for_both_unless_they_differ(tmp_path):
    one_way = read(tmp_path, "first,second,distance\na,b,0.25\n")
    assert one_way.symmetric
    assert one_way("b", "a") == 0.25
    both = read(tmp_path, "first,second,distance\na,b,0.25\nb,a,0.5\nb,c,1\n")
    assert not both.symmetric
    assert both("b", "a") == 0.5
    assert np.isnan(both("c", "b"))


def test_rounding_makes_no_second_direction(tmp_path):
    """What counts as the same distance of one pair counts so in both directions."""
    nearly = read(tmp_path, "first,second,distance\na,b,0.25\na,b,0.25004\nb,a,0.25009\nb,c,1\n")
    assert nearly.symmetric
    assert nearly("c", "b") == 1.0


def test_a_signature_is_the_name_and_the_content(tmp_path):
    first = read(tmp_path, "first,second,distance\na,b,0.25\nc,d,0.5\n").signature
    turned = read(tmp_path, "second,first,distance\nd,c,0.5\nb,a,0.25\n").signature
    other = read(tmp_path, "first,second,distance\na,b,0.25\nc,d,0.75\n").signature
    renamed = read(tmp_path, "first,second,distance\na,b,0.25\nc,d,0.5\n", "yours").signature
    assert first == turned
    assert len({first.digest, other.digest, renamed.digest}) == 3


def test_every_fault_is_named_by_its_row(tmp_path):
    with pytest.raises(InputError) as caught:
        read(tmp_path, "first,second,distance\na,b,0.25\na,b,0.5\na,c,-1\na,d,near\n")
    assert str(caught.value).splitlines() == [
        "table.csv:3: the same two texts have the distance 0.25 above and 0.5 here; keep one",
        "table.csv:4: distance is '-1'; it must be a number from 0 to 1e+09, or empty",
        "table.csv:5: distance is 'near'; it must be a number from 0 to 1e+09, or empty",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("first,b\n", "table.csv:1: the header lacks the columns second, distance"),
        ("first,second,distance\na,b,\n", "no row holds a distance"),
    ],
)
def test_a_table_without_distances_is_refused(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        read(tmp_path, text)


def test_an_empty_folder_and_a_bad_name_are_refused(tmp_path):
    with pytest.raises(InputError, match="holds no distances: neither a"):
        read_given("mine", tmp_path, lambda: None)
    with pytest.raises(InputError, match=r"none\.csv: cannot be read: No such file or directory"):
        read_given("mine", tmp_path / "none.csv", lambda: None)
    with pytest.raises(MeasureError, match="'My Metric' is no name of a measure"):
        read(tmp_path, "first,second,distance\na,b,0.25\n", "My Metric")


def test_three_files_need_a_corpus(tmp_path):
    (tmp_path / "A").mkdir()
    (tmp_path / "A" / "sum_sum_doc_distances.csv").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="names readers, and this command takes no corpus"):
        read_given("mine", tmp_path, lambda: None)
