"""The corpus: documents, readers, references and summaries, and the formats in which the field keeps them."""

from meta_eval.corpus.documents import GOLD, Corpus, Document, select_systems
from meta_eval.corpus.jsonl import read_jsonl, write_jsonl
from meta_eval.corpus.pens import read_pens

__all__ = ["GOLD", "Corpus", "Document", "read_jsonl", "read_pens", "select_systems", "write_jsonl"]
