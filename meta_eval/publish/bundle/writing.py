"""Write a bundle: the same content gives the same bytes, whenever and wherever it is written."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import IO, TYPE_CHECKING, Any

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.files.cells import csv_text
from meta_eval.files.json_files import json_line
from meta_eval.measures.given import DistanceBook
from meta_eval.measures.sealed import SealedDistances
from meta_eval.publish.bundle.layout import (
    BUNDLE_FILES,
    CORPUS_FILE,
    DATASHEET_FILE,
    GENERATED_FILE,
    GIVEN_COLUMNS,
    GIVEN_FILE,
    HASHES_FILE,
    JUDGE_FILE,
    JUDGE_REPLIES_FILE,
    JUDGED_FILES,
    JUDGMENTS_FILE,
    MANIFEST_FILE,
    MODELS_FILE,
    PLAN_FILE,
    RATINGS_FILE,
    README_FILE,
    REPORT_FILE,
    SCHEMA,
    SCHEMA_VERSION,
    SEALED_COLUMNS,
    SEALED_FILE,
    SEALED_TEXTS_COLUMNS,
    SEALED_TEXTS_FILE,
    STUDY_FILE,
    readme,
    seal_of,
)
from meta_eval.publish.generated import generated_systems
from meta_eval.publish.heds import datasheet_markdown, fill_datasheet
from meta_eval.publish.long_form import EXPORT_COLUMNS, QUESTIONNAIRES_FILE, report_json, without_paths
from meta_eval.ratings.of_models import ANSWER_COLUMNS, ModelTable
from meta_eval.ratings.rows import RATING_COLUMNS
from meta_eval.report.schema import Report
from meta_eval.scores.judged import JUDGMENT_COLUMNS
from meta_eval.studies.icopernicus.provenance import render_provenance

if TYPE_CHECKING:
    from meta_eval.studies.perse.runs import PerseRun

_EPOCH = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o100644 << 16
_UNIX = 3

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleContent:
    """What goes into a bundle.

    `report` is a report; `ratings` rows with the columns of `RATING_COLUMNS`, `state`, and
    what else is known of them, all rows with the same columns; `questionnaires` rows with the columns of
    questionnaires.csv; `plan` with `seed`, `systems` and `questionnaires`; `study` with `scale` and `raters`;
    `given` the distances from outside that the report rests on; `sealed` those that language models gave;
    `models` what language models answered, beside people; `judge` what a model judged in readers' places,
    which quotes texts, so that a bundle of hashes leaves it out.
    """

    report: Report
    corpus: Corpus
    ratings: Sequence[Row]
    questionnaires: Sequence[Row]
    plan: Mapping[str, Any]
    study: Mapping[str, Any]
    given: Sequence[DistanceBook] = ()
    sealed: Sequence[SealedDistances] = ()
    models: Sequence[ModelTable] = ()
    judge: "PerseRun | None" = None


def write_bundle(stream: IO[bytes], content: BundleContent, *, share_texts: bool = True) -> str:
    """Write the bundle as ZIP into a stream.

    Texts are written document by document.

    Parameters
    ----------
    stream : binary stream
        Seekable, open for writing.
    content : BundleContent
        The report, its corpus, ratings, questionnaires and plan.
    share_texts : bool
        Without it the bundle holds hashes in place of texts, and can be verified in full only beside the
            corpus.

    Returns
    -------
    str
        The seal: SHA-256 in hexadecimal digits.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from meta_eval import InferenceOptions, make_report, read_ratings
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain"}}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, systems),))
    >>> rows = [("d", name, "ann", "bob", "p", value) for name, value in [("user", 2), ("A", 2), ("B", 6)]]
    >>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    >>> ratings = read_ratings(DataFrame(rows, columns=columns), corpus)
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> asked = {"measures": ["jsd"], "surrogates": ["jsd"], "scale": "similarity", "inference": quick}
    >>> report = make_report(corpus, ratings, **asked).report
    >>> from io import BytesIO
    >>> empty = {"ratings": [], "questionnaires": [], "plan": {}, "study": {}}
    >>> content = BundleContent(report=report, corpus=corpus, **empty)
    >>> len(write_bundle(BytesIO(), content))
    64
    """
    corpus_file = CORPUS_FILE if share_texts else HASHES_FILE
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        sealer = _Sealer(archive)
        sealer.add(README_FILE, [_readme(content, corpus_file)])
        sealer.add(REPORT_FILE, [report_json(content.report)])
        sealer.add(corpus_file, corpus_lines(content.corpus, share_texts=share_texts))
        if generated := generated_systems(without_paths(content.report)):
            sealer.add(GENERATED_FILE, [render_provenance(generated)])
        sealer.add(RATINGS_FILE, _csv_lines(content.ratings, _rating_columns(content.ratings)))
        if content.given:
            sealer.add(GIVEN_FILE, given_lines(content.given))
        if content.sealed:
            sealer.add(SEALED_FILE, sealed_lines(content.sealed))
            sealer.add(SEALED_TEXTS_FILE, sealed_texts_lines(content.sealed))
        if content.models:
            sealer.add(MODELS_FILE, model_lines(content.models))
        if content.judge and share_texts:
            sealer.add(JUDGE_FILE, [_json(content.judge.as_records())])
            sealer.add(JUDGE_REPLIES_FILE, content.judge.reply_lines())
            sealer.add(JUDGMENTS_FILE, _csv_lines(content.judge.judgments(), JUDGMENT_COLUMNS))
        sealer.add(
            QUESTIONNAIRES_FILE,
            _csv_lines(content.questionnaires, list(EXPORT_COLUMNS[QUESTIONNAIRES_FILE])),
        )
        sealer.add(PLAN_FILE, [_json(content.plan)])
        systems = list(content.corpus.systems)
        languages = {document.language for document in content.corpus.documents}
        sealer.add(DATASHEET_FILE, [datasheet(content.report, content.plan, content.study, languages)])
        sealer.add(STUDY_FILE, [_json({**content.study, "corpus_systems": systems})])
        return sealer.close()


class _Sealer:
    """Adds files and remembers their hashes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._hashes: dict[str, str] = {}

    def add(self, name: str, parts: Iterable[str]) -> None:
        digest = hashlib.sha256()
        with self._archive.open(_entry(name), "w", force_zip64=True) as member:
            for part in parts:
                data = part.encode()
                digest.update(data)
                member.write(data)
        self._hashes[name] = digest.hexdigest()

    def close(self) -> str:
        seal = seal_of(self._hashes)
        manifest = {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "seal": seal,
            "files": dict(sorted(self._hashes.items())),
        }
        self._archive.writestr(_entry(MANIFEST_FILE), _json(manifest))
        return seal


def _entry(name: str) -> zipfile.ZipInfo:
    """No clock, no user, no system of the machine."""
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = _READABLE
    info.create_system = _UNIX
    return info


def datasheet(
    report: Report, plan: Mapping[str, Any], study: Mapping[str, Any], languages: Iterable[str]
) -> str:
    """The human evaluation datasheet as Markdown; `languages` are the tags of the corpus's texts."""
    named = sorted(set(languages))
    return datasheet_markdown(fill_datasheet(report, plan=plan, study=study, languages=named))


def _readme(content: BundleContent, corpus_file: str) -> str:
    absent = {HASHES_FILE if corpus_file == CORPUS_FILE else CORPUS_FILE}
    if not content.sealed:
        absent |= {SEALED_FILE, SEALED_TEXTS_FILE}
    if not generated_systems(content.report):
        absent.add(GENERATED_FILE)
    if not content.given:
        absent.add(GIVEN_FILE)
    if not content.models:
        absent.add(MODELS_FILE)
    if not content.judge or corpus_file == HASHES_FILE:
        absent |= set(JUDGED_FILES)
    return readme([name for name in BUNDLE_FILES if name not in absent], seed=content.plan.get("seed"))


def corpus_lines(corpus: Corpus, *, share_texts: bool) -> Iterator[str]:
    """One document a line: consolidated JSONL, or the same shape with the SHA-256 of each text."""
    for document in corpus.documents:
        line = document.as_line() if share_texts else json_line(_hashed_record(document))
        yield f"{line}\n"


def _hashed_record(document: Document) -> dict[str, Any]:
    record = document.as_record()
    return {
        **({"lang": document.language} if document.language else {}),
        "doc_id": document.id,
        "doc_text": _hash(document.body),
        "doc_summ": _hash(document.title),
        "m_summary_dict": {
            reader: {system: _hash(text) for system, text in texts.items()}
            for reader, texts in record["m_summary_dict"].items()
        },
    }


def given_lines(books: Sequence[DistanceBook]) -> Iterator[str]:
    """Distances from outside, a row a pair of texts."""
    yield csv_text([GIVEN_COLUMNS])
    for book in books:
        yield from (csv_text([(book.name, *row)]) for row in book.rows())


def sealed_lines(measures: Sequence[SealedDistances]) -> Iterator[str]:
    """Distances that language models gave, a row a pair of texts; nothing where one is missing."""
    yield csv_text([SEALED_COLUMNS])
    for one in measures:
        for first, second, value in one.book.rows():
            yield csv_text([(one.book.name, first, second, None if isnan(value) else value)])


def sealed_texts_lines(measures: Sequence[SealedDistances]) -> Iterator[str]:
    """What the models' tokenizers made of each text."""
    yield csv_text([SEALED_TEXTS_COLUMNS])
    for one in measures:
        for text, seen in sorted(one.texts.items()):
            yield csv_text([(one.book.name, text, _cell(seen.nothing), seen.words, seen.dropped)])


def model_lines(tables: Sequence[ModelTable]) -> Iterator[str]:
    """What language models answered, a row an answer."""
    yield csv_text([ANSWER_COLUMNS])
    for table in tables:
        yield csv_text(table.rows())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _rating_columns(rows: Sequence[Row]) -> list[str]:
    return list(rows[0]) if rows else [*RATING_COLUMNS, "state"]


def _csv_lines(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[str]:
    yield csv_text([columns])
    for row in rows:
        yield csv_text([[_cell(row[column]) for column in columns]])


def _cell(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
