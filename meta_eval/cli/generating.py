"""`generate`: a language model writes headlines with each of iCOPERNICUS' prompt styles."""

import sys
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.asking import (
    StagedAsking,
    UnansweredError,
    announce,
    prompts_name,
    require_one_batch,
    save_prompts,
    stopping,
)
from meta_eval.cli.inputs import read_corpus, read_histories, report_corpus
from meta_eval.cli.llm_options import AskOptions, ModelOption, asks_models, opened_models
from meta_eval.cli.options import CorpusFile, SeedOption, file_place
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.corpus.readers import Readers
from meta_eval.errors import InputError
from meta_eval.files.writing import write_text
from meta_eval.llm.asking import Answer
from meta_eval.llm.counting import SERVER
from meta_eval.llm.models import Model, parse_model
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import run_warnings
from meta_eval.scores.prompt_styles import SHOTS, STYLES
from meta_eval.studies.icopernicus.adding import add_systems
from meta_eval.studies.icopernicus.generation import (
    DEFAULTS,
    GeneratedStyle,
    StyleQuestions,
    generate_style,
    style_questions,
)
from meta_eval.studies.icopernicus.options import GenerationOptions, Several
from meta_eval.studies.icopernicus.plans import PlanName
from meta_eval.studies.icopernicus.provenance import (
    provenance_place,
    read_provenance,
    render_provenance,
    require_one_counting,
)
from meta_eval.studies.icopernicus.shots import MOST_EXAMPLES
from meta_eval.studies.icopernicus.styles import HistoryEnd


@asks_models
def generate(
    corpus_file: CorpusFile,
    readers_file: Annotated[
        Path,
        typer.Option(
            "--readers",
            metavar="FILE",
            help="What readers read (JSONL), as import-pens --readers-out writes.",
        ),
    ],
    model: ModelOption,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write the corpus with the new systems (JSONL).",
            callback=file_place,
        ),
    ],
    style: Annotated[
        list[str] | None,
        typer.Option(
            help=f"A prompt style: {', '.join((*STYLES, *SHOTS))}. May be repeated. [default: first six]"
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(min=1, max=MOST_EXAMPLES, help=f"Examples in a prompt of {' and '.join(SHOTS)}.")
    ] = 2,
    plan: Annotated[
        PlanName,
        typer.Option(help="Which prompts: as many as the paper made, or one for every reference."),
    ] = "paper",
    several: Annotated[
        Several,
        typer.Option(help="Which of several headlines of a reader for a document counts."),
    ] = "first",
    history: Annotated[
        HistoryEnd, typer.Option(help="Which titles of a history are told where not all fit.")
    ] = "first",
    adversarial: Annotated[
        bool,
        typer.Option("--adversarial", help="Ask contrastive styles with a random User2, too."),
    ] = False,
    documents: Annotated[
        int | None, typer.Option(min=1, help="Only so many target documents, drawn by --seed.")
    ] = None,
    *,
    how: AskOptions,
    seed: SeedOption = 0,
) -> None:
    """Let models write headlines with iCOPERNICUS' prompt styles, as systems named MODEL: STYLE."""
    options = GenerationOptions(
        styles=tuple(style or STYLES),
        plan=plan,
        several=several,
        history=history,
        adversarial=adversarial,
        documents=documents,
        examples=examples,
        seed=seed,
    )
    if any(parse_model(text, DEFAULTS).tokenizer == SERVER for text in model):
        raise InputError(
            "generate cuts prompts by their tokens, and whoever replays them has no server to count: name "
            "the folder of the tokenizer (tokenizer=FOLDER) in place of tokenizer=server"
        )
    with opened_models(model, **DEFAULTS) as models:
        corpus = read_corpus(corpus_file)
        readers = read_histories(readers_file, corpus)
        before = read_provenance(provenance_place(corpus_file))
        require_one_counting(
            [*before, *({"system": one.options.title, "tokens": one.counting} for one in models)]
        )
        run = _Run(corpus, readers, options, how)
        if not how.sends:
            run.write_prompts(models, out)
            return
        with stopping():
            found = [one for model in models for one in run.one(model)]
        made = add_systems(corpus, found)
        for one in found:
            if not one.texts:
                sys.stderr.write(f"warning: {one.name}: no headline can be read, so it is no system\n")
        stream = StringIO()
        write_jsonl(made, stream)
        write_text(stream.getvalue(), out)
        write_text(render_provenance([*before, *(one.record for one in found)]), provenance_place(out))
        report_corpus(made)


class _Run:
    """What is asked about, and how each model is asked."""

    def __init__(self, corpus: Corpus, readers: Readers, options: GenerationOptions, how: AskOptions) -> None:
        self._corpus, self._readers, self._options, self._how = corpus, readers, options, how

    def write_prompts(self, models: Sequence[Model], out: Path) -> None:
        """Write what would be asked of the first model, and say of each what it would take."""
        require_one_batch(models, self._how)
        asked = [self._next_questions(model) for model in models]
        for model, questions in zip(models, asked, strict=True):
            announce(model, questions, self._how)
        save_prompts(models[0], asked[0], self._how, out.with_suffix(f".{prompts_name(self._how)}"))

    def _next_questions(self, model: Model) -> list[Question]:
        """All that can be asked by now: of dialogues the first step that kept replies do not answer."""
        asking = StagedAsking(model, self._how)

        def ask(questions: Sequence[Question]) -> list[Answer] | None:
            try:
                return asking(questions)
            except UnansweredError:
                sys.stderr.write(
                    f"note: {model.options.title}: {len(questions):,} prompts are one step of dialogues; the "
                    "next one depends on the replies to them\n"
                )
                return None

        return _all_questions(style_questions(self._corpus, self._readers, model, self._options, ask))

    def one(self, model: Model) -> list[GeneratedStyle]:
        """All styles are one run of questions, so that limits hold for them together."""
        started = time.monotonic()
        asking = StagedAsking(model, self._how)
        by_style = style_questions(self._corpus, self._readers, model, self._options, asking)
        answers = iter(asking(_all_questions(by_style)))
        found = [
            generate_style(
                one,
                model,
                lambda questions: (next(answers) for _ in questions),
                self._options,
                attempts=self._how.attempts,
            )
            for one in by_style
        ]
        asking.report_usage()
        seconds = round(time.monotonic() - started, 3)
        for one in found:
            _warn(one)
        return [GeneratedStyle(one.name, one.texts, {**one.record, "seconds": seconds}) for one in found]


def _all_questions(by_style: Sequence[StyleQuestions]) -> list[Question]:
    return [question for one in by_style for _, question in one.asked]


def _warn(found: GeneratedStyle) -> None:
    record = found.record
    for warning in run_warnings({**record, "questions": record["asked"], "left_out": record["missing"]}):
        sys.stderr.write(f"warning: {found.name}: {warning}\n")
    for reason, count in record["left_out"].items():
        sys.stderr.write(f"note: {found.name}: {count:,} prompts were not made: {reason}\n")
