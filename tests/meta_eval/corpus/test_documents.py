import io
import json
from dataclasses import replace

import pytest

from meta_eval.corpus.documents import Corpus, select_systems
from meta_eval.corpus.jsonl import _JsonlReader, read_jsonl, write_jsonl
from meta_eval.errors import Fault, InputError
from meta_eval.files.reading import MAX_LINE_BYTES
from tests.meta_eval.strategies import document

GOOD = {
    "doc_id": "d1",
    "doc_text": "body",
    "doc_summ": "title",
    "m_summary_dict": {"r1": {"user": "gold", "S": "s"}},
}


def read(*lines: str | bytes, **options) -> Corpus:
    raw = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    return read_jsonl(io.BytesIO(raw), name="corpus.jsonl", **options)


def faults_of(*lines: str | bytes, **options) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        read(*lines, **options)
    return caught.value.faults


def record(**changes) -> str:
    return json.dumps({**GOOD, **changes})


def test_read_jsonl_keeps_every_text():
    corpus = read(
        record(),
        record(doc_id=7, m_summary_dict={"r1": {"user": "a", "S": ""}, "r2": {"user": "b", "T": "t"}}),
    )
    assert [found.as_record() for found in corpus.documents] == [
        GOOD,
        {
            "doc_id": "7",
            "doc_text": "body",
            "doc_summ": "title",
            "m_summary_dict": {"r1": {"user": "a", "S": ""}, "r2": {"user": "b", "T": "t"}},
        },
    ]
    assert corpus.systems == ("S", "T")
    assert corpus.readers == ("r1", "r2")
    assert corpus.notes == (
        "system 'S' has no summary for 1 of 3 references",
        "system 'T' has no summary for 2 of 3 references",
    )


def test_a_null_summary_is_missing_and_an_empty_one_is_not():
    corpus = read(record(m_summary_dict={"r1": {"user": "a", "S": None, "T": ""}}))
    assert corpus.documents[0].summaries == {"S": {}, "T": {"r1": ""}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON: the line ends too early after {; it may be cut off (character 2)"),
        ("[1]", "a document must be a JSON object, not a list"),
        ("[" * 100_000, "not JSON: lists and objects stand in each other too deeply to be read"),
        (record(doc_id=""), "field 'doc_id' must be a non-empty text or a whole number"),
        (record(doc_id=True), "field 'doc_id' must be a non-empty text or a whole number"),
        (record(doc_id="d\0"), "field 'doc_id' holds a NUL character"),
        (record(doc_id="d "), "field 'doc_id' begins or ends with a blank"),
        (record(doc_id="d\ne"), "field 'doc_id' holds a line end or another control character"),
        (record(doc_text=3), "field 'doc_text' must be a text, not a number"),
        (record(doc_summ="a\0b"), "field 'doc_summ' holds a NUL character"),
        (record(doc_summ="a\ud800"), "field 'doc_summ' holds half a surrogate pair, which is no character"),
        (record(m_summary_dict={}), "field 'm_summary_dict' names no reader"),
        (record(m_summary_dict=[]), "field 'm_summary_dict' must be a JSON object, not a list"),
        (record(m_summary_dict={"r1": "text"}), "reader 'r1' must be a JSON object, not a text"),
        (record(m_summary_dict={"r1": {"S": "s"}}), "reader 'r1' has no reference text (key 'user')"),
        (record(m_summary_dict={"r1": {"user": "  "}}), "reader 'r1' has no reference text (key 'user')"),
        (
            record(m_summary_dict={"r1": {"user": 7}}),
            "reader 'r1' has a number where the reference text should be (key 'user')",
        ),
        (record(m_summary_dict={"": {"user": "a"}}), "reader '': the name is empty"),
        (
            record(m_summary_dict={"r\r": {"user": "a"}}),
            "reader 'r\\r': the name begins or ends with a blank",
        ),
        (
            record(m_summary_dict={"r1": {"user": "a", "S\ud800": "s"}}),
            "reader 'r1', system 'S\\ud800': the name holds half a surrogate pair, which is no character",
        ),
        (
            record(m_summary_dict={"r1": {"user": "a", "S\u2028T": "s"}}),
            "reader 'r1', system 'S\\u2028T': the name holds a line end or another control character",
        ),
        (
            record(m_summary_dict={"r1": {"user": "a", "S": 1}}),
            "reader 'r1', system 'S' must be a text, not a number",
        ),
        (b'{"doc_id": "\xff"}', "not UTF-8 text (byte 13); save the file as UTF-8"),
        (b"{}\0", "holds a NUL character; is this a text file?"),
    ],
)
def test_a_bad_line_is_named_with_its_number(line, message):
    fault = faults_of(record(), line)[0]
    assert (fault.file, fault.line) == ("corpus.jsonl", 2)
    assert fault.message.startswith(message)


def test_every_missing_field_is_named():
    assert [str(fault) for fault in faults_of('{"doc_id": "d"}')] == [
        "corpus.jsonl:1: field 'doc_summ' is missing",
        "corpus.jsonl:1: field 'm_summary_dict' is missing",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[{}]", "this is one JSON list; wanted is one document a line: `jq -c '.[]' FILE > corpus.jsonl` "),
        ("[", "this is one JSON list; wanted is one document a line: `jq -c '.[]' FILE > corpus.jsonl` "),
        (
            "{",
            "this object goes on over lines; wanted is one document a line: `jq -c . FILE > corpus.jsonl` ",
        ),
    ],
)
def test_json_laid_out_otherwise_is_one_line_that_says_what_to_do(text, hint):
    assert faults_of("", text, *["]"] * 60) == (Fault("corpus.jsonl", 2, f"{hint}makes it so"),)


def test_a_document_without_text_is_one_for_bare_distances():
    record_without = '{"doc_id": "d", "doc_summ": "t", "m_summary_dict": {"r": {"user": "rain"}}}'
    null = record_without.replace('"doc_summ"', '"doc_text": null, "doc_summ"')
    for line in (record_without, null):
        corpus = read(line)
        assert (corpus.documents[0].body, corpus.documents[0].title) == ("", "t")


def test_a_repeated_document_names_the_first():
    assert faults_of(record(), "", record()) == (
        Fault("corpus.jsonl", 3, "doc_id 'd1' was already used on line 1"),
    )


def test_a_repeated_reader_keeps_the_later_and_is_noted():
    readers = '{"r": {"user": "old"}, "r": {"user": "new"}}'
    line = f'{{"doc_id": "d", "doc_text": "b", "doc_summ": "t", "m_summary_dict": {readers}}}'
    corpus = read(line)
    assert corpus.documents[0].references == {"r": "new"}
    assert corpus.notes == ("1 repeated keys within a document; the later one stands",)


def test_an_overlong_line_is_a_fault_and_not_held_in_memory():
    endless = b'{"doc_id": "' + b"x" * (MAX_LINE_BYTES + 10)
    assert [(fault.line, fault.message) for fault in faults_of(endless, record())] == [
        (1, "line is longer than 32 MB; is this the right file?")
    ]


def test_faults_beyond_the_limit_are_counted():
    with pytest.raises(InputError) as caught:
        read(*["{" + " " * n + "}}" for n in range(5)], fault_limit=2)
    assert len(caught.value.faults) == 2
    assert str(caught.value).endswith("... and 3 more")


def test_an_empty_file_holds_no_documents():
    assert faults_of("") == (Fault("corpus.jsonl", None, "holds no documents"),)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(InputError, match=r"no\.jsonl: cannot be read: No such file or directory"):
        read_jsonl(tmp_path / "no.jsonl")


def test_a_byte_order_mark_is_passed_over():
    assert read(b"\xef\xbb\xbf" + record().encode()).documents[0].id == "d1"


def test_content_hash_depends_on_content_alone():
    first = document("a", S={"r1": "x"})
    second = document("b", S={"r2": "y"})
    turned = replace(second, references=dict(reversed(second.references.items())))
    assert Corpus((first, second)).content_hash == Corpus((turned, first), notes=("a note",)).content_hash
    assert Corpus((first,)).content_hash != Corpus((replace(first, body="other"),)).content_hash


def test_written_jsonl_reads_back_as_the_same_corpus():
    corpus = Corpus((document("a", S={"r1": "x\u2028 é"}), document("b")))
    stream = io.StringIO()
    write_jsonl(corpus, stream)
    assert read_jsonl(io.BytesIO(stream.getvalue().encode())).content_hash == corpus.content_hash


def test_select_systems_names_what_there_is():
    corpus = Corpus((document(S={"r1": "x"}, T={"r1": "x"}),))
    assert select_systems(corpus, ["T", "T"]) == ("T",)
    with pytest.raises(InputError, match="the corpus has no system U; it has S, T"):
        select_systems(corpus, ["U"])
    with pytest.raises(InputError, match="no system's summaries"):
        select_systems(Corpus((document(),)), None)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"sun"', "7", "reader 'ann', system 'A' must be a text, not a number"),
        ('"rain"', '" "', "reader 'ann' has no reference text (key 'user')"),
        ('"sun"', '"\\ud83d"', "reader 'ann', system 'A' holds half a surrogate pair, which is no character"),
        ('"sun"', '"\\u0000"', "reader 'ann', system 'A' holds a NUL character"),
        ('"A"', '" A"', "reader 'ann', system ' A': the name begins or ends with a blank"),
        ('"Weather"', "null", "field 'doc_summ' must be a text, not null"),
        ('{"user": "rain", "A": "sun"}', "[]", "reader 'ann' must be a JSON object, not a list"),
        ('"d1"', "true", "field 'doc_id' must be a non-empty text or a whole number"),
    ],
)
def test_a_fault_is_found_after_lines_with_the_same_names(old: str, new: str, fault: str) -> None:
    """Lines whose names were seen are looked at more quickly, and no less closely."""
    texts = {"ann": {"user": "rain", "A": "sun"}}
    first = record(doc_id="d0", doc_summ="Weather", m_summary_dict=texts)
    second = record(doc_summ="Weather", m_summary_dict=texts).replace(old, new)
    assert faults_of(first, second) == (Fault("corpus.jsonl", 2, fault),)


ODD_LINES = (
    record(doc_id="d2"),
    record(doc_id="d3", doc_text=None),
    '{"doc_id": "d4", "doc_summ": "t", "m_summary_dict": {"r1": {"user": "a: b", "S": "c\\": d"}}}',
    record(doc_id="d5", doc_summ="at 5 : 30", lang="en"),
    record(doc_id="d6", lang="no tag"),
    record(doc_id="d7", lang=None),
    record(doc_id="d8", more={"a": 1}),
    record(doc_id=9),
    record(doc_id="d1"),
    record(doc_id="d10", m_summary_dict={"r1": {"user": " \t", "S": "s"}}),
    record(doc_id="d11", m_summary_dict={"r1": {"S": "s"}}),
    record(doc_id="d12", m_summary_dict={"r1": {"user": "a", "S": 5}}),
    record(doc_id="d13", m_summary_dict={"r1": {"user": "a", " S": "s"}}),
    record(doc_id="d14", m_summary_dict={}),
    record(doc_id="d15", doc_summ="\ud83d\ude00 \u0000"),
    record(doc_id="d16", doc_summ="\ud83d"),
    record(doc_id="d17", doc_summ=None),
    record(doc_id="d18").replace('"S": "s"', '"S": "s", "S": "later"'),
    record(doc_id="d19").replace('"S": "s"', '"S": "s", "S" : "later"'),
    record(doc_id="d20").replace('"S": "s"', '"S": "s:", "S"  : ":later"'),
    record(doc_id="d21").replace('"doc_summ"', '"doc_text": "later", "doc_summ"'),
    record(doc_id="d22")[:-1],
    "[" * 100_000,
)


@pytest.mark.parametrize("line", ODD_LINES, ids=range(2, 2 + len(ODD_LINES)))
def test_a_line_read_quickly_is_what_it_is_read_slowly(line, monkeypatch):
    def found():
        try:
            return read(record(), line)
        except InputError as error:
            return error.faults

    quickly = found()
    monkeypatch.setattr(_JsonlReader, "_plainly_right", lambda *_: None)
    assert found() == quickly


def test_what_most_lines_are_is_read_quickly(monkeypatch):
    lines = [record(doc_id=f"d{number}", doc_summ=title) for number, title in enumerate(("t", "a: b", "c"))]
    monkeypatch.setattr(_JsonlReader, "_object", lambda _, pairs: slowly.append(0) or dict(pairs))
    slowly = []
    assert len(read(*lines).documents) == 3
    assert len(slowly) == 3  # the three objects of the first line, whose names are new
