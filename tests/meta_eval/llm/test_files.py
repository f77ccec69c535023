"""Files of replies: what is read of them, and every fault with its line."""

import json

import pytest

from meta_eval.errors import InputError
from meta_eval.llm.files import read_replies


def test_replies_are_read_line_by_line_with_every_fault(tmp_path):
    path = tmp_path / "replies.jsonl"
    good = json.dumps({"id": "a", "text": "one\u2028two"}, ensure_ascii=False)
    path.write_text(f"{good}\n\n{good}\r\n", encoding="utf-8")
    assert {key: reply.text for key, reply in read_replies(path).items()} == {"a": "one\u2028two"}
    lines = [good.encode(), '{"id": "b", "text": "\u00e9"}'.encode("latin-1"), b"[" * 100_000,
             b'{"id": "a", "text": "other"}', b'{"id": "c", "text": "\\ud83d"}']  # fmt: skip
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(InputError) as error:
        read_replies(path)
    assert [(fault.line, fault.message.split()[0]) for fault in error.value.faults] == [
        (2, "not"),
        (3, "is"),
        (4, "holds"),
    ]
