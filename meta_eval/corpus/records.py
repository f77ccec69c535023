"""A record of consolidated JSONL (protocol 11): what may be wrong with it, and the document that it holds."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from meta_eval.corpus.documents import GOLD, Document
from meta_eval.files.names import plain_name, spelled_otherwise
from meta_eval.files.values import kind_of, name_problem, text_problem

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def record_problems(record: Any) -> Iterator[str]:
    """What is wrong with a record of consolidated JSONL, each problem in words."""
    if not isinstance(record, dict):
        yield f"a document must be a JSON object, not {kind_of(record)}"
        return
    for key in ("doc_id", "doc_summ", "m_summary_dict"):
        if key not in record:
            yield f"field {key!r} is missing"
    if "doc_id" in record and (problem := id_problem(record["doc_id"])):
        yield f"field 'doc_id' {problem}"
    for key in ("doc_text", "doc_summ"):
        value = record.get(key, "")
        if not (value is None and key == "doc_text") and (problem := text_problem(value)):
            yield f"field {key!r} {problem}"
    if "m_summary_dict" in record:
        yield from _summary_problems(record["m_summary_dict"])
    if not is_language_tag(record.get("lang", "")):
        yield "field 'lang' must be a language tag such as 'en', 'ar' or 'pt-BR'"


def id_problem(value: Any) -> str | None:
    """What is wrong with a document's id, which is a name or a whole number; None if nothing is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return None
    if not isinstance(value, str) or not value.strip():
        return "must be a non-empty text or a whole number"
    return name_problem(value)


def plain_record(record: Any) -> tuple[Any, list[str]]:
    """A record with its names in their plain form, and what is wrong with names that become one by it."""
    by_reader = record.get("m_summary_dict") if isinstance(record, dict) else None
    if not isinstance(by_reader, dict):
        return record, []
    problems: list[str] = []
    readers = _plain_keys(by_reader, "reader", problems)
    for reader, texts in readers.items():
        if isinstance(texts, dict):
            readers[reader] = _plain_keys(texts, f"reader {reader!r}, system", problems)
    doc_id = record.get("doc_id")
    plain = {"doc_id": plain_name(doc_id)} if isinstance(doc_id, str) else {}
    return {**record, **plain, "m_summary_dict": readers}, problems


def _plain_keys(named: dict[str, Any], what: str, problems: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in named.items():
        if (plain := plain_name(name)) in found:
            odd = next(spelled_otherwise(one) for one in named if plain_name(one) == plain != one)
            problems.append(f"{what} {plain!r} stands twice, once {odd}")
        found[plain] = value
    return found


def _summary_problems(by_reader: Any) -> Iterator[str]:
    if not isinstance(by_reader, dict):
        yield f"field 'm_summary_dict' must be a JSON object, not {kind_of(by_reader)}"
        return
    if not by_reader:
        yield "field 'm_summary_dict' names no reader"
    for reader, texts in by_reader.items():
        where = f"reader {reader!r}"
        if problem := name_problem(reader):
            yield f"{where}: the name {problem}"
        if not isinstance(texts, dict):
            yield f"{where} must be a JSON object, not {kind_of(texts)}"
        elif problem := _reference_problem(texts.get(GOLD)):
            yield f"{where} {problem} (key {GOLD!r})"
        else:
            for system, text in texts.items():
                if problem := name_problem(system) or _gold_problem(system):
                    yield f"{where}, system {system!r}: the name {problem}"
                elif text is not None and (problem := text_problem(text)):
                    yield f"{where}, system {system!r} {problem}"


def _gold_problem(system: str) -> str | None:
    """What is wrong with a name that is that of the gold reference but for its letters."""
    if system != GOLD and system.casefold() == GOLD:
        return f"means the reader's own text where it is written {GOLD!r}; write it so, or choose another"
    return None


def _reference_problem(text: Any) -> str | None:
    if text is not None and not isinstance(text, str):
        return f"has {kind_of(text)} where the reference text should be"
    return None if text and text.strip() else "has no reference text"


def is_language_tag(value: object) -> bool:
    """Whether it has the form of a BCP 47 tag (en, ar, pt-BR) or is empty, which names no language."""
    return isinstance(value, str) and (not value or _LANGUAGE_TAG.fullmatch(value) is not None)


def document_of_record(record: dict[str, Any]) -> Document:
    """The document of a record that has no problems."""
    by_reader: dict[str, dict[str, str | None]] = record["m_summary_dict"]
    texts_by: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for reader, texts in by_reader.items():
        for system, text in texts.items():
            written = texts_by[system]  # a system that is named is one, whatever it wrote
            if text is not None:
                written[reader] = text
    references = texts_by.pop(GOLD)
    summaries = dict(texts_by)
    title, body, language = record["doc_summ"], record.get("doc_text") or "", record.get("lang", "")
    return Document(str(record["doc_id"]), title, body, references, summaries, language)


def keep_named_systems(documents: Sequence[Document]) -> tuple[Document, ...]:
    """The documents, with a system that wrote nothing at all named in the first that names it.

    Of all other systems what they did not write is absent.
    """
    wrote = {name for document in documents for name, texts in document.summaries.items() if texts}
    found = []
    for document in documents:
        kept = {name: texts for name, texts in document.summaries.items() if texts or name not in wrote}
        wrote.update(kept)
        found.append(document if len(kept) == len(document.summaries) else replace(document, summaries=kept))
    return tuple(found)
