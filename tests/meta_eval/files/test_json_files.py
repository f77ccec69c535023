"""Files of JSON: what is read of them, what is passed over, and in which words faults are told."""

import pytest

from meta_eval.errors import InputError
from meta_eval.files.json_files import json_lines, read_json, read_json_lines
from meta_eval.files.reading import Faults


def test_lines_come_back_with_their_numbers_and_faults_keep_the_callers_words(tmp_path):
    file, faults = tmp_path / "lines.jsonl", Faults(9)
    file.write_text(json_lines([{"a": "Zoë"}, [1]]) + "\n \n{'b'}\n3\n", encoding="utf-8-sig")
    assert list(read_json_lines(file, "lines", faults, "is no task")) == [(1, {"a": "Zoë"}), (2, [1]), (6, 3)]
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    (fault,) = caught.value.faults
    assert (fault.line, fault.message.startswith("is no task: names and texts stand in")) == (5, True)


def test_a_file_is_read_with_a_byte_order_mark_and_refused_where_it_is_no_json(tmp_path):
    file = tmp_path / "value.json"
    file.write_text('{"a": 1}', encoding="utf-8-sig")
    assert read_json(file) == {"a": 1}
    file.write_text('{"a": ', encoding="utf-8")
    with pytest.raises(InputError, match=r"value\.json: is no run: the line ends too early"):
        read_json(file, "is no run")
    with pytest.raises(InputError, match=r"gone\.json: cannot be read: No such file"):
        read_json(tmp_path / "gone.json")
