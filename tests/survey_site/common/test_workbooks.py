"""Uploaded workbooks: read as tables are, and none takes the memory of the web process."""

import zipfile

import pyarrow
import pytest
import xlsxwriter
from django.core.files.uploadedfile import SimpleUploadedFile
from pyarrow import parquet

from meta_eval.corpus.tables import CORPUS_COLUMNS
from meta_eval.errors import InputError
from meta_eval.files.sheets import workbook_cells
from meta_eval.files.workbooks import is_workbook
from meta_eval.ratings.rows import RATING_COLUMNS
from survey_site.batches.models import Batch
from survey_site.common.workbooks import require_readable, require_small_json
from survey_site.corpus.models import Corpus
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.uploads.examples import plain_rows


def workbook(path, rows):
    """Rows by the number at which they stand."""
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for number, cells in rows:
            sheet.write_row(number, 0, cells)
    return path


def upload(path):
    return SimpleUploadedFile(path.name, path.read_bytes())


@pytest.mark.django_db
def test_a_corpus_and_its_ratings_come_as_workbooks(admin_client, tmp_path):
    texts = [("d", who, system, f"{system} for {who}") for who in ("ann", "bob") for system in ("user", "A")]
    path = workbook(tmp_path / "news.xlsx", enumerate([CORPUS_COLUMNS, *texts]))
    response = admin_client.post("/corpora/import/", {"format": "jsonl", "jsonl": upload(path)})
    assert response.status_code == 302, response.content.decode()
    assert (Corpus.objects.get().name, Corpus.objects.get().source) == ("news", "Table: news.xlsx")

    rows = [[row[name] for name in RATING_COLUMNS] for row in plain_rows()]
    rated = workbook(tmp_path / "ratings.xlsx", enumerate([RATING_COLUMNS, *rows]))
    data = {"corpus": make_scored_corpus().pk, "file": upload(rated), "scale": "similarity"}
    assert admin_client.post("/batches/upload/", data).status_code == 302
    assert Batch.objects.get().name == "ratings"


@pytest.mark.django_db
def test_faults_of_a_workbook_are_named_by_its_rows(admin_client, tmp_path):
    path = workbook(tmp_path / "r.xlsx", [(0, CORPUS_COLUMNS), (3, ("d", "", "user", "x"))])
    response = admin_client.post("/corpora/import/", {"format": "jsonl", "jsonl": upload(path)})
    assert response.status_code == 422
    page = response.content.decode()
    assert '<td class="num">4</td><td>column reader is empty</td>' in page
    assert not Corpus.objects.exists()


def test_a_cell_far_from_the_others_is_refused_by_a_process_of_its_own(tmp_path):
    """7 KB, of which the reader makes 127,000,000 cells: 3 GB, which a machine of today would give it."""
    path = tmp_path / "far.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "doc_id")
        sheet.write(1_048_575, 120, "d")
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match=r"^far\.xlsx: takes more than 2 GB or 120 seconds to read"):
        require_readable(path, "far.xlsx")


def test_a_parquet_file_that_names_a_long_text_very_often_is_refused(tmp_path):
    """Some hundred KB, of which the rows take 3 GB together, though never more than a thousand at a time."""
    path = tmp_path / "often.parquet"
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 60_000), ["x" * 50_000])
    parquet.write_table(pyarrow.table({"text": texts}), path)
    assert path.stat().st_size < 500_000
    with pytest.raises(InputError, match=r"^often\.parquet: takes more than 2 GB or 120 seconds to read"):
        require_readable(path, "often.parquet")


def test_json_of_very_many_values_is_refused_and_what_else_is_wrong_is_left_to_its_reader(tmp_path):
    """90 MB, which take more than 2 GB as lists."""
    path = tmp_path / "lists.json"
    path.write_bytes(b"[" + b"[]," * 30_000_000 + b"[]]")
    with pytest.raises(InputError, match=r"^lists\.json: takes more than 2 GB .* it holds too many values"):
        require_small_json(path, "lists.json")
    path.write_text("{")
    require_small_json(path, "lists.json")


def sheet_of(path, rows):
    """An OpenDocument file whose first sheet has these rows, in its own words."""
    spaces = "".join(f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in _SPACES)
    table = f'<table:table table:name="s">{rows}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", _MANIFEST)
        archive.writestr("content.xml", f"<office:document-content{spaces}>{body}</office:document-content>")
    return path


_MANIFEST = '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
_SPACES = ("office", "table", "text")
_CELL = '<table:table-cell office:value-type="string"{more}><text:p>doc_id</text:p></table:table-cell>'


def test_an_opendocument_file_is_read_and_one_that_repeats_a_row_without_end_is_not(tmp_path):
    path = sheet_of(tmp_path / "r.ods", f"<table:table-row>{_CELL.format(more='')}</table:table-row>")
    require_readable(path, "r.ods")
    assert workbook_cells(path, "r.ods") == [["doc_id"]]
    wide = _CELL.format(more=' table:number-columns-repeated="16384"')
    sheet_of(path, f'<table:table-row table:number-rows-repeated="1048576">{wide}</table:table-row>')
    with pytest.raises(InputError, match=r"^r\.ods: cannot be read as an Excel file: Cell limit"):
        require_readable(path, "r.ods")


def test_what_is_no_workbook_passes_and_a_broken_one_is_named(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("doc_id\n", encoding="utf-8")
    require_readable(path, "r.csv")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "rain")
    assert is_workbook(path)
    with pytest.raises(InputError, match=r"^r\.csv: cannot be read as an Excel file: "):
        require_readable(path, "r.csv")


@pytest.mark.parametrize(
    "entity",
    ['SYSTEM "file:///etc/hostname"', '"rain"', '"&far;&far;"><!ENTITY far "rainrain"'],
    ids=["of a file", "of a text", "of others"],
)
def test_a_workbook_that_declares_entities_is_refused(tmp_path, entity):
    """Neither what a file of this machine holds nor a text that grows each time that it is named."""
    whole = workbook(tmp_path / "whole.xlsx", [(0, ["doc_id"])])
    path = tmp_path / "r.xlsx"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            text = source.read(name).decode()
            if name == "xl/sharedStrings.xml":
                declared = f"<!DOCTYPE sst [<!ENTITY near {entity}>]><sst"
                text = text.replace("<sst", declared, 1).replace("doc_id", "doc&near;_id")
            target.writestr(name, text)
    with pytest.raises(InputError, match=r"^r\.xlsx: cannot be read as an Excel file: .*entity"):
        workbook_cells(path, "r.xlsx")
