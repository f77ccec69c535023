"""Trails are read line by line: all are checked and counted, the first ones kept."""

import json

import pytest

from meta_eval.errors import InputError
from meta_eval.studies.users.trails import read_trail

LINE = {"approach": "single", "past": 9, "shown": 9, "summary": "Likes rain.", "reason": None}


def written(path, records):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    return path


def test_every_user_is_counted_and_the_first_ones_are_kept(tmp_path):
    records = [{"user": f"u{number}", **LINE} for number in range(7)]
    file = written(tmp_path / "trail.jsonl", records)
    assert read_trail(file, first=3) == (7, records[:3])
    assert read_trail(file, first=9) == (7, records)


def test_a_line_after_the_first_ones_that_is_no_trail_is_named(tmp_path):
    file = written(tmp_path / "trail.jsonl", [{"user": "u", **LINE}, {"user": "v", **LINE}, {"user": "w"}])
    with pytest.raises(InputError) as caught:
        read_trail(file, first=1)
    assert [(fault.line, fault.message) for fault in caught.value.faults] == [
        (3, "is no trail, as `users summarise` writes it")
    ]
