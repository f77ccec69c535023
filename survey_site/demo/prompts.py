"""The demonstration's second survey: headlines by two rules with six styles of prompts, and their paradoxes.

No language model wrote the headlines: the replies that ship with the demo corpus are replayed, so that
nothing is sent anywhere.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.corpus.readers import Readers, read_readers
from meta_eval.llm.asking import Answer, Asking
from meta_eval.llm.files import read_replies
from meta_eval.llm.models import parse_model
from meta_eval.llm.opening import open_model
from meta_eval.llm.questions import Question
from meta_eval.llm.replies import KeptReplies
from meta_eval.studies.icopernicus.adding import add_systems
from meta_eval.studies.icopernicus.generation import DEFAULTS, GeneratedStyle, generate_style, style_questions
from meta_eval.studies.icopernicus.options import GenerationOptions
from meta_eval.studies.icopernicus.provenance import Record
from survey_site.settings.table import BASE_DIR

FOLDER = BASE_DIR / "fixtures" / "demo"
RULES = {"rule-reads": "Rule that reads", "rule-repeats": "Rule that repeats"}
OPTIONS = GenerationOptions(plan="all", documents=12)


def prompted_corpus() -> tuple[Corpus, list[Record]]:
    """The demo's documents for which the rules wrote, with a system for each rule and style alone, and how
    each came about."""
    read = read_jsonl(FOLDER / "corpus.jsonl")
    bare = Corpus(tuple(replace(document, summaries={}) for document in read.documents))
    readers = read_readers(FOLDER / "histories.jsonl")
    kept = KeptReplies(None, read_replies(FOLDER / "replies-styles.jsonl"))
    generated = [one for name in RULES for one in _styles(bare, readers, name, kept)]
    made = add_systems(bare, generated)
    written = Corpus(tuple(document for document in made.documents if document.summaries))
    return written, [one.record for one in generated]


def _styles(corpus: Corpus, readers: Readers, name: str, kept: KeptReplies) -> Iterator[GeneratedStyle]:
    """One rule's systems."""
    model = open_model(parse_model(f"replay:model={name},name={RULES[name]}", DEFAULTS))

    def ask(questions: Iterable[Question]) -> Iterable[Answer]:
        return Asking(questions, model, kept=kept)

    for style in style_questions(corpus, readers, model, OPTIONS):
        yield generate_style(style, model, ask, OPTIONS, attempts=2)
