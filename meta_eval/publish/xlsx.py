"""A report as a spreadsheet: one sheet a table, numbers in full precision, text never read as a formula."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import IO, Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from meta_eval.publish.generated import generated_systems
from meta_eval.publish.long_form import without_paths
from meta_eval.publish.tables import COLUMNS_TABLE, Table, column_meaning, report_tables
from meta_eval.report.published.comparing import name_tables
from meta_eval.report.schema import Report
from meta_eval.studies.icopernicus.provenance import record_in_words

_FIXED_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 - the format has no time zone; the same report, the same bytes
_WIDEST = 60
_FORMATS: Mapping[str, Mapping[str, Any]] = {
    "head": {"bold": True},
    "whole": {"num_format": "#,##0"},
    "decimals": {"num_format": "0.000"},
    "small": {"num_format": "0.0E+00"},
}
_TEXT_LIMIT = 32_767


class _ExactSheet(Worksheet):  # type: ignore[misc]  # the library has no types
    """Writes a float with as many digits as it needs to be read back as the same number, not with 16."""

    def _xml_number_element(self, number: float, attributes: tuple[Any, ...] = ()) -> None:
        marked = "".join(f' {key}="{value}"' for key, value in attributes)
        self.fh.write(f"<c{marked}><v>{number!r}</v></c>")


def write_xlsx(stream: IO[bytes], report: Report) -> None:
    """Write the workbook: a sheet "about", a sheet for each table, and one on what the columns mean.

    Missing numbers are empty cells. The same report gives the same bytes.
    """
    report = without_paths(report)
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(stream, options) as book:
        book.set_properties({"title": f"Report on {report.subject.get('batch', '')}", "created": _FIXED_TIME})
        tables = report_tables(report)
        formats = {name: book.add_format(look) for name, look in _FORMATS.items()}
        for table in (_about(report), *tables, _columns(tables)):
            _write_table(book.add_worksheet(table.name, _ExactSheet), table, formats)


def _write_table(sheet: Worksheet, table: Table, formats: Mapping[str, Any]) -> None:
    for column, name in enumerate(table.columns):
        sheet.write_string(0, column, name, formats["head"])
        sheet.set_column(column, column, _width(table, name))
    for line, row in enumerate(table.rows, start=1):
        for column, name in enumerate(table.columns):
            _write_cell(sheet, line, column, row.get(name), formats)
    sheet.freeze_panes(1, 0)


def _write_cell(sheet: Worksheet, line: int, column: int, value: Any, formats: Mapping[str, Any]) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(line, column, value)
    elif isinstance(value, int | float):
        sheet.write_number(line, column, value, formats[_format_of(value)])
    elif value is not None:
        sheet.write_string(line, column, str(value)[:_TEXT_LIMIT])


def _format_of(value: float) -> str:
    """How a number shows, whose cell holds every digit: what three decimals would hide has an exponent."""
    if isinstance(value, int):
        return "whole"
    return "decimals" if value == 0.0 or abs(value) >= 0.0005 else "small"


def _width(table: Table, column: str) -> int:
    texts = [row.get(column) for row in table.rows if isinstance(row.get(column), str)]
    return min(_WIDEST, max([len(column), 10, *map(len, texts)]) + 2)  # type: ignore[arg-type]


def _about(report: Report) -> Table:
    rows = [{"what": what, "value": value} for what, value in _facts(report)]
    return Table("about", "About the report", ("what", "value"), tuple(rows))


def _facts(report: Report) -> Iterator[tuple[str, Any]]:
    yield "answer", report.answer.sentence
    yield "answerable", report.answer.answerable
    if report.answer.declared:
        yield "primary", report.answer.declared
    yield "scale", report.scale.in_words
    sections: Mapping[str, Mapping[str, Any]] = {
        "subject": {name: value for name, value in report.subject.items() if name != "generated"},
        "plan": report.plan,
        "ratings": report.ratings,
        "options": name_tables(report.options),
        "versions": report.versions,
    }
    for section, values in sections.items():
        for name, value in values.items():
            yield f"{section}: {name}", ", ".join(map(str, value)) if isinstance(value, list) else value
    for record in generated_systems(report):
        told = "; ".join(f"{title.lower()}: {said}" for title, said in record_in_words(record))
        yield f"generated: {record['system']}", told


def _columns(tables: list[Table]) -> Table:
    rows = [
        {"table": table.name, "column": column, "meaning": column_meaning(table.name, column)}
        for table in tables
        for column in table.columns
    ]
    return Table(COLUMNS_TABLE, "What the columns mean", ("table", "column", "meaning"), tuple(rows))
