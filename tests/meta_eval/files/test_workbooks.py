"""Tables as people bring them: the first sheet of an Excel file beside CSV."""

import sys
import zipfile
from pathlib import Path

import pytest
import xlsxwriter

from meta_eval.errors import InputError
from meta_eval.files import sheets
from meta_eval.files.reading import Faults
from meta_eval.files.workbooks import read_rows


def workbook(path: Path, rows: list[list[object]]) -> Path:
    with xlsxwriter.Workbook(path, {"strings_to_formulas": False}) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return path


def read(path: Path) -> list:
    return list(read_rows(path, path.name, Faults(9), lambda _: None))


def test_numbers_are_read_as_they_look_and_empty_rows_passed_over(tmp_path):
    path = workbook(tmp_path / "r.xlsx", [["doc_id", " rating "], [7, 3], [], ["é=1", 2.5], ["", 4]])
    assert read(path) == [
        (2, {"doc_id": "7", "rating": "3"}),
        (4, {"doc_id": "é=1", "rating": "2.5"}),
        (5, {"doc_id": "", "rating": "4"}),
    ]


def test_a_workbook_is_known_by_its_content_and_not_by_its_name(tmp_path):
    path = workbook(tmp_path / "r.csv", [["doc_id"], ["d"]])
    assert read(path) == [(2, {"doc_id": "d"})]


def test_an_archive_that_is_no_workbook_is_named_in_one_line(tmp_path):
    path = tmp_path / "r.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "rain")
    with pytest.raises(InputError, match=r"^r\.xlsx: cannot be read as an Excel file: .*$"):
        read(path)


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sheets, "LARGEST", 1 << 10)
    path = workbook(tmp_path / "r.xlsx", [["doc_id"]])
    with pytest.raises(InputError, match=r"^r\.xlsx: unpacks to more than 0 MB$"):
        read(path)


def test_what_reads_excel_is_named_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    path = workbook(tmp_path / "r.xlsx", [["doc_id"]])
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        "r.xlsx: to read an Excel file, run `pip install python-calamine`; or save the sheet as CSV"
    )
