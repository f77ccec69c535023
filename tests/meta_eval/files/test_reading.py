"""Tables and lines of files: where each row stands, and what is no table."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.errors import Fault, InputError
from meta_eval.files.reading import MAX_LINE_BYTES, Faults, read_lines
from meta_eval.files.tables import read_table


def rows(text: str | bytes, faults: Faults | None = None, **options) -> list[tuple[int, dict[str, str]]]:
    source = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return list(read_table(source, "t.csv", faults or Faults(9), lambda _: None, **options))


def faults_of(text: str | bytes, faults: Faults | None = None, **options) -> tuple[Fault, ...]:
    faults = faults or Faults(9)

    def read_whole() -> None:
        rows(text, faults, **options)
        faults.raise_if_any()

    with pytest.raises(InputError) as caught:
        read_whole()
    return caught.value.faults


def test_rows_stand_at_the_line_where_they_end_whatever_lies_between():
    assert rows('\ufeffa, b \n1,2\n\n"x\ny", z\n') == [
        (2, {"a": "1", "b": "2"}),
        (5, {"a": "x\ny", "b": " z"}),
    ]


CELLS = st.text(st.sampled_from('a1 "\n\r\t,;\x85\u2028é'), max_size=6)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5), ENDS)
def test_a_table_reads_as_pythons_csv_reads_a_file_without_translating_line_ends(table, end):
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([["x", "y"], *table])
    written = stream.getvalue().encode()
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(written), encoding="utf-8", newline=""))
    next(reader)
    found = [(line, list(row.values())) for line, row in rows(written)]
    assert found == [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    assert [cells for _, cells in found] == [cells for cells in table if any(map(str.strip, cells))]


def test_line_ends_within_quotes_stay_as_they_are():
    assert rows('a,b\r\n"x\r\ny","\rz"\r\n1,2') == [
        (4, {"a": "x\r\ny", "b": "\rz"}),
        (5, {"a": "1", "b": "2"}),
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_row_with_another_number_of_cells_is_a_fault_and_empty_cells_behind_the_last_are_none(separator):
    text = "a,b,\n1\n1,2,3\n1,2,,\n,,,\n1,\n".replace(",", separator)
    faults = Faults(9)
    assert rows(text, faults) == [(4, {"a": "1", "b": "2"}), (6, {"a": "1", "b": ""})]
    found = faults_of("a\n", faults)
    assert [(fault.line, fault.message.partition(";")[0]) for fault in found] == [
        (2, "1 columns where the header has 2"),
        (3, "3 columns where the header has 2"),
    ]


def test_faults_alike_are_one_with_a_count_and_a_few_are_each_their_own():
    faults = Faults(4)
    for line in range(1, 52):
        faults.add("f", line, "field 'x' is missing")
        if line <= 3:
            faults.add("f", line, f"rating is {line % 2}")
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    assert str(caught.value).splitlines() == [
        "f:1: field 'x' is missing (and in 50 more places)",
        "f:1: rating is 1",
        "f:2: rating is 0",
        "f:3: rating is 1",
    ]


def test_faults_alike_but_for_whom_they_name_are_one():
    faults = Faults(20)
    for line in range(1, 6):
        faults.add("f", line, f"reader 'it\\'s {line}' has no reference text (key 'user')")
        faults.add("f", line, f"document \"D'{line}\": rating '{line}' is too high")
        faults.add("f", line, f"field '{line}' is missing")
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    assert str(caught.value).splitlines() == [
        "f:1: reader 'it\\'s 1' has no reference text (key 'user') (and in 4 more places: "
        "reader 'it\\'s 2', reader 'it\\'s 3', reader 'it\\'s 4', reader 'it\\'s 5')",
        "f:1: document \"D'1\": rating '1' is too high (and in 4 more places: "
        "document \"D'2\", rating '2', document \"D'3\", rating '3', ...)",
        *(f"f:{line}: field '{line}' is missing" for line in range(1, 6)),
    ]


def test_a_file_with_faults_is_not_said_to_be_empty():
    for wrong, expected in ((True, "f:1: wrong"), (False, "f: holds nothing")):
        faults = Faults(20)
        if wrong:
            faults.add("f", 1, "wrong")
        faults.add_empty("f", "holds nothing")
        with pytest.raises(InputError, match=f"^{expected}$"):
            faults.raise_if_any()


def test_no_more_faults_are_kept_than_the_limit_says():
    faults = Faults(2)
    for line in range(1, 4):
        for word in ("this", "that", "other"):
            faults.add("f", line, f"{word} is missing")
    faults.add("g", 1, "this is missing")
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    assert str(caught.value).splitlines() == [
        "f:1: this is missing (and in 2 more places)",
        "f:1: that is missing (and in 2 more places)",
        "... and 4 more",
    ]


def test_one_fault_alike_beyond_the_limit_is_one_more_place():
    faults = Faults(1)
    for line in (1, 2):
        faults.add("f", line, "this is missing")
    with pytest.raises(InputError, match=r"^f:1: this is missing \(and in 1 more place\)$"):
        faults.raise_if_any()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a,b,a\n", Fault("t.csv", 1, "the header names a twice")),
        (b"a\rb\r\nc\r\xe9\n", Fault("t.csv", 4, "not UTF-8 text (byte 1); save the file as UTF-8")),
        ("a\rb\rc\0\r", Fault("t.csv", 3, "holds a NUL character; is this a text file?")),
        ("a\nb\n".encode("utf-16"), Fault("t.csv", 1, "not UTF-8 text (byte 1); save the file as UTF-8")),
        (b"a\nb\n\xe9\n\xe9\n", Fault("t.csv", 3, "not UTF-8 text (byte 1); save the file as UTF-8")),
    ],
)
def test_what_is_no_table_is_one_fault(text, fault):
    (found,) = faults_of(text)
    assert (found.file, found.line) == (fault.file, fault.line)
    assert found.message.startswith(fault.message)


def test_a_cell_may_be_as_long_as_a_line():
    long = "x" * 1_000_000
    assert rows(f"{long}\n{long}\n") == [(2, {long: long})]


def test_a_line_that_is_no_text_ends_the_reading_with_the_faults_before_it():
    faults = Faults(9)
    faults.add("other", None, "before")
    with pytest.raises(InputError) as caught:
        list(read_lines(io.BytesIO(b"good\n\0\n" + b"x" * MAX_LINE_BYTES), "f", faults, alone=False))
    assert [str(fault) for fault in caught.value.faults] == [
        "other: before",
        "f:2: holds a NUL character; is this a text file?",
    ]


def test_where_lines_are_read_alone_every_fault_is_found():
    faults = Faults(9)
    lines = b"good\n\xff\n" + b"x" * (MAX_LINE_BYTES + (1 << 18)) + b"\n\0\nlast"
    assert list(read_lines(io.BytesIO(lines), "f", faults, alone=True)) == [(1, "good"), (5, "last")]
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    assert [fault.line for fault in caught.value.faults] == [2, 3, 4]
