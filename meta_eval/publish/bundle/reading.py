"""Read a bundle without trusting it: hashes first, then values."""

import hashlib
import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import IO, TYPE_CHECKING, Any

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.errors import Fault, InputError
from meta_eval.files.values import parse_json
from meta_eval.measures.given import DistanceBook
from meta_eval.measures.sealed import SealedDistances
from meta_eval.publish.bundle.layout import (
    BUNDLE_FILES,
    CORPUS_FILE,
    DATASHEET_FILE,
    GENERATED_FILE,
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
    REQUIRED_FILES,
    SCHEMA,
    SCHEMA_VERSION,
    SEALED_FILE,
    SEALED_TEXTS_FILE,
    STUDY_FILE,
    seal_of,
)
from meta_eval.publish.bundle.tables import (
    read_given,
    read_judgments,
    read_questionnaires,
    read_rows,
    read_sealed,
)
from meta_eval.publish.bundle.verification import FileFault
from meta_eval.publish.long_form import QUESTIONNAIRES_FILE
from meta_eval.ratings.of_models import ModelTable, read_model_tables
from meta_eval.ratings.rating import Ends
from meta_eval.ratings.survey import Survey
from meta_eval.report.schema import Report, read_report
from meta_eval.studies.icopernicus.provenance import check_provenance

if TYPE_CHECKING:
    from meta_eval.studies.perse.runs import PerseRun

_CHUNK = 1 << 20
_SMALL_FILE = 1 << 30
_LARGEST_RATIO = 200
"""Bytes that a byte of an archive may become: tables and texts stay far below, attacks come near 1,000."""
_HARMLESS = 10 << 20
"""From how many bytes unpacked that ratio is asked: a small file that repeats itself does no harm."""
OF_THE_SURVEY = ("pairs_not_judged", "open_questionnaires", "expired_questionnaires")
"""Counts in `left_out` that only the survey knew."""
_UNREADABLE = (
    KeyError,
    OSError,
    EOFError,
    RuntimeError,  # encrypted, or compressed in a way that is not known here
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a member of an archive that somebody changed can raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleData(Survey):
    """What the report is recomputed from; `corpus` is None where the bundle holds hashes only.

    `record` is the report as its file holds it; `given` are distances from outside that it rests on,
    `models` what language models answered, `judge` what a model judged in readers' places, and beside it
    what its three files hold as they are: `judge_records`, the lines `judge_replies`, and the rows
    `judgments`. `generated` is how systems were generated. `sealed` are distances that language models gave,
    `questionnaires` the pages and `texts` the pages of words as their files hold them, `languages` the tags
    of the corpus.
    """

    report: Report
    record: dict[str, Any]
    corpus: Corpus | None
    questionnaires: tuple[Mapping[str, str], ...] = ()
    languages: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    given: tuple[DistanceBook, ...] = ()
    sealed: tuple[SealedDistances, ...] = ()
    models: tuple[ModelTable, ...] = ()
    judge: "PerseRun | None" = None
    judge_records: Any = None
    judge_replies: tuple[str, ...] = ()
    judgments: tuple[Mapping[str, str], ...] = ()
    generated: tuple[Mapping[str, Any], ...] = ()

    @property
    def questionnaire_counts(self) -> dict[str, int]:
        """Counts of the survey by their key in `left_out`; as they are stated where no file has them."""
        states = Counter(row["state"] for row in self.questionnaires)
        counted = {f"{state}_questionnaires": states[state] for state in ("surplus", "marked")}
        named = {
            row.what: row.count for row in self.report.left_out if row.what in {*counted, *OF_THE_SURVEY}
        }
        return {what: max(counted.get(what, 0), count) for what, count in named.items()}

    @property
    def unseen_counts(self) -> list[str]:
        """Those of them of which the files hold fewer: the survey knew more, or people withdrew since."""
        states = Counter(row["state"] for row in self.questionnaires)
        here = {f"{state}_questionnaires": states[state] for state in ("surplus", "marked")}
        counts = self.questionnaire_counts
        return [what for what, count in counts.items() if count > here.get(what, 0)]


def open_bundle(source: str | PathLike[str] | IO[bytes]) -> zipfile.ZipFile:
    """Raises `InputError` for what is no ZIP archive, or holds no file of a bundle."""
    name = str(source) if isinstance(source, str | PathLike) else "bundle"
    try:
        archive = zipfile.ZipFile(source)
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError([Fault(name, None, f"not a bundle: {error}")]) from error
    if {MANIFEST_FILE, *REQUIRED_FILES}.isdisjoint(archive.namelist()):
        archive.close()
        raise InputError([Fault(name, None, "not a bundle: it holds no file of one")])
    if bombs := _bombs(archive):
        archive.close()
        raise InputError([Fault(name, None, f"not read: it unpacks to far more than it is: {bombs[0]}")])
    return archive


def _bombs(archive: zipfile.ZipFile) -> list[str]:
    """Members that would fill memory or disk. `zipfile` unpacks no more of one than the archive says."""
    return [
        member.filename
        for member in archive.infolist()
        if member.file_size > max(_HARMLESS, _LARGEST_RATIO * member.compress_size)
    ]


def check_files(archive: zipfile.ZipFile) -> tuple[dict[str, str], list[FileFault]]:
    """The SHA-256 of each file as it is, and each that is not as the manifest says."""
    hashes = {}
    faults = [
        FileFault(name, "stands in the archive more than once")
        for name, count in Counter(archive.namelist()).items()
        if count > 1
    ]
    for name in dict.fromkeys(archive.namelist()):
        if name != MANIFEST_FILE:
            try:
                hashes[name] = _hash_member(archive, name)
            except _UNREADABLE as error:
                faults.append(FileFault(name, f"cannot be read: {error}"))
    if archive.comment:
        faults.append(FileFault("the archive", "has a comment, which nothing seals"))
    faults += [FileFault(name, "is no file of a bundle") for name in hashes if name not in BUNDLE_FILES]
    return hashes, [*faults, *_compare_hashes(archive, hashes)]


def _compare_hashes(archive: zipfile.ZipFile, hashes: Mapping[str, str]) -> Iterator[FileFault]:
    try:
        manifest = _read_object(archive, MANIFEST_FILE)
        sealed = dict(manifest["files"])
    except (InputError, KeyError, TypeError, ValueError) as error:
        yield FileFault(MANIFEST_FILE, f"cannot be read: {error}")
        return
    form = (manifest.get("schema"), manifest.get("schema_version"))
    if form != (SCHEMA, SCHEMA_VERSION):
        yield FileFault(MANIFEST_FILE, f"is of form {form!r}, not {(SCHEMA, SCHEMA_VERSION)!r}")
    for name in manifest.keys() - {"schema", "schema_version", "seal", "files"}:
        yield FileFault(MANIFEST_FILE, f"says {name!r}, which is no part of a manifest")
    for name, digest in sealed.items():
        if name not in hashes:
            yield FileFault(name, "is missing")
        elif hashes[name] != digest:
            yield FileFault(name, f"SHA-256 is {hashes[name]}, sealed as {digest}")
    for name in hashes.keys() - sealed.keys():
        yield FileFault(name, "is not in the manifest")
    if manifest.get("seal") != seal_of(sealed):
        yield FileFault(MANIFEST_FILE, f"its seal is not that of its list of files, {seal_of(sealed)}")


def read_data(archive: zipfile.ZipFile, corpus: Corpus | None = None) -> BundleData:
    """What the files hold. Raises `InputError` with every file that is missing or not of its form."""
    names = set(archive.namelist())
    missing = [Fault(name, None, "is missing") for name in REQUIRED_FILES if name not in names]
    if not names & {CORPUS_FILE, HASHES_FILE}:
        missing.append(Fault(CORPUS_FILE, None, "is missing"))
    if missing:
        raise InputError(missing)
    record, study = _read_object(archive, REPORT_FILE), _read_object(archive, STUDY_FILE)
    ends, own = Ends.from_record(study), _read_corpus(archive, names) or _in_order(archive, corpus)
    return BundleData(
        report=_read_report(record),
        record=record,
        plan=_read_object(archive, PLAN_FILE),
        study=study,
        rows=tuple(read_rows(_read_member(archive, RATINGS_FILE), ends)),
        questionnaires=tuple(read_questionnaires(_read_member(archive, QUESTIONNAIRES_FILE))),
        corpus=own,
        languages=_languages(archive, own),
        texts={
            name: _read_member(archive, name).decode(errors="replace")
            for name in (README_FILE, DATASHEET_FILE)
            if name in names
        },
        generated=_read_generated(archive) if GENERATED_FILE in names else (),
        given=read_given(_read_member(archive, GIVEN_FILE)) if GIVEN_FILE in names else (),
        sealed=_read_sealed(archive) if names & {SEALED_FILE, SEALED_TEXTS_FILE} else (),
        models=_read_models(archive, own, ends) if MODELS_FILE in names and own else (),
        **(_read_judge(archive, own) if names.issuperset(JUDGED_FILES) and own else {}),
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values of one key, others may read the first one: neither is taken."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"{twice!r} stands twice in one object")
    return found


def _read_sealed(archive: zipfile.ZipFile) -> tuple[SealedDistances, ...]:
    distances, texts = (_read_member(archive, name) for name in (SEALED_FILE, SEALED_TEXTS_FILE))
    return read_sealed(distances, texts)


def _languages(archive: zipfile.ZipFile, corpus: Corpus | None) -> frozenset[str]:
    """The tags of the texts' languages, which stand beside hashes too."""
    if corpus is not None:
        return frozenset(document.language for document in corpus.documents)
    return frozenset(line.get("lang", "") for line in _hashed(archive))


def _hashed(archive: zipfile.ZipFile) -> list[dict[str, Any]]:
    return [parse_json(line.decode()) for line in _read_member(archive, HASHES_FILE).splitlines()]


def _read_generated(archive: zipfile.ZipFile) -> tuple[Mapping[str, Any], ...]:
    """How systems were generated, as `generate` records it."""
    try:
        held = parse_json(_read_member(archive, GENERATED_FILE).decode())
    except ValueError as error:
        raise InputError([Fault(GENERATED_FILE, None, f"not JSON: {error}")]) from error
    return tuple(check_provenance(held, GENERATED_FILE))


def missing_files(archive: zipfile.ZipFile, report: Report) -> list[FileFault]:
    """Files of a judge that the report rests on: a bundle with its texts has them, so somebody took them."""
    names = set(archive.namelist())
    if CORPUS_FILE not in names or report.inference is None or report.inference.judged is None:
        return []
    return [
        FileFault(name, "is missing, and the report rests on it")
        for name in JUDGED_FILES
        if name not in names
    ]


def read_sealed_report(archive: zipfile.ZipFile) -> Report:
    """The report of a bundle alone, as its file holds it. Raises `InputError` where it cannot be read."""
    return _read_report(_read_object(archive, REPORT_FILE))


def _read_report(record: dict[str, Any]) -> Report:
    try:
        return read_report(record)
    except InputError as error:
        raise InputError([Fault(REPORT_FILE, None, str(error))]) from error


def _read_corpus(archive: zipfile.ZipFile, names: set[str]) -> Corpus | None:
    if CORPUS_FILE not in names:
        return None
    try:
        with archive.open(CORPUS_FILE) as member:
            return read_jsonl(member, name=CORPUS_FILE)  # type: ignore[arg-type]  # reads lines, as any stream
    except _UNREADABLE as error:
        raise InputError([Fault(CORPUS_FILE, None, f"cannot be read: {error}")]) from error


def _in_order(archive: zipfile.ZipFile, corpus: Corpus | None) -> Corpus | None:
    """The corpus with its documents as they stood in the report's, where the hashes name the same ones."""
    if corpus is None:
        return None
    order = {line["doc_id"]: place for place, line in enumerate(_hashed(archive))}
    documents = sorted(corpus.documents, key=lambda document: order.get(document.id, len(order)))
    return Corpus(tuple(documents), corpus.notes)


def _read_object(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    try:
        value = parse_json(_read_member(archive, name).decode(), _object)
    except ValueError as error:
        raise InputError([Fault(name, None, f"not JSON: {error}")]) from error
    if not isinstance(value, dict):
        raise InputError([Fault(name, None, "is not a JSON object")])
    return value


def _read_models(archive: zipfile.ZipFile, corpus: Corpus, ends: Ends) -> tuple[ModelTable, ...]:
    stream = io.BytesIO(_read_member(archive, MODELS_FILE))
    return read_model_tables(stream, corpus, name=MODELS_FILE, ends=ends)


def _read_judge(archive: zipfile.ZipFile, corpus: Corpus) -> dict[str, Any]:
    """The fields of `BundleData` on a judge.

    What is loaded for it is loaded here, so that nothing of models is where no bundle has a judge.
    """
    from meta_eval.llm.files import read_replies
    from meta_eval.llm.models import ModelError
    from meta_eval.studies.perse.runs import PerseRun

    lines = _read_member(archive, JUDGE_REPLIES_FILE)
    replies = read_replies(io.BytesIO(lines), JUDGE_REPLIES_FILE)
    try:
        records = parse_json(_read_member(archive, JUDGE_FILE).decode())
        judge = PerseRun.from_records(records, replies, corpus)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ModelError) as error:
        problem = f"does not say how summaries were judged: {type(error).__name__}: {error}"
        raise InputError([Fault(JUDGE_FILE, None, problem)]) from error
    return {
        "judge": judge,
        "judge_records": records,
        "judge_replies": tuple(lines.decode().removesuffix("\n").split("\n")) if lines else (),
        "judgments": read_judgments(_read_member(archive, JUDGMENTS_FILE)),
    }


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        if archive.getinfo(name).file_size > _SMALL_FILE:
            raise InputError([Fault(name, None, f"is larger than {_SMALL_FILE >> 20} MB")])
        return archive.read(name)
    except _UNREADABLE as error:
        raise InputError([Fault(name, None, f"cannot be read: {error}")]) from error


def _hash_member(archive: zipfile.ZipFile, name: str) -> str:
    digest = hashlib.sha256()
    with archive.open(name) as member:
        while part := member.read(_CHUNK):
            digest.update(part)
    return digest.hexdigest()
