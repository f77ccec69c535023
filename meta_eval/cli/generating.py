"""`generate`: a language model writes headlines with each of iCOPERNICUS' prompt styles."""

import sys
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import read_corpus, report_corpus
from meta_eval.cli.llm_options import (
    AttemptsOption,
    BatchOption,
    CostOption,
    DryRunOption,
    ModelOption,
    PaceOption,
    PriceInOption,
    PriceOutOption,
    RepliesOption,
    RepliesStoreOption,
    RequestsOption,
    TokensOption,
    announce,
    expect,
    given_replies,
    kept_replies,
    kept_when_ended,
    make_limits,
    opened_models,
    render_prompts,
)
from meta_eval.cli.options import INCOMPLETE, CorpusFile, SeedOption, file_place
from meta_eval.cli.staged_asking import Asked, StagedAsking, UnansweredError
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.corpus.readers import Readers, read_readers, require_known_readers
from meta_eval.errors import InputError
from meta_eval.files.writing import write_text
from meta_eval.llm.asking import Answer
from meta_eval.llm.limits import Price, StoppedError
from meta_eval.llm.models import Model
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import run_warnings
from meta_eval.scores.prompt_styles import SHOTS, STYLES
from meta_eval.studies.icopernicus.generation import (
    DEFAULTS,
    GeneratedStyle,
    GenerationOptions,
    Several,
    StyleQuestions,
    add_systems,
    generate_style,
    style_questions,
)
from meta_eval.studies.icopernicus.plans import PlanName
from meta_eval.studies.icopernicus.provenance import (
    provenance_place,
    read_provenance_file,
    render_provenance,
    require_one_counting,
)
from meta_eval.studies.icopernicus.shots import MOST_EXAMPLES
from meta_eval.studies.icopernicus.styles import HistoryEnd

PROMPTS, BATCH = ".prompts.jsonl", ".batch.jsonl"


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
    store: RepliesStoreOption = None,
    replies: RepliesOption = None,
    dry_run: DryRunOption = False,
    batch: BatchOption = False,
    attempts: AttemptsOption = 2,
    max_requests: RequestsOption = None,
    max_tokens_total: TokensOption = None,
    max_cost: CostOption = None,
    per_minute: PaceOption = None,
    price_in: PriceInOption = 0.0,
    price_out: PriceOutOption = 0.0,
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
    price = Price(price_in, price_out)
    limits = make_limits(max_requests, max_tokens_total, max_cost, per_minute, price)
    given = given_replies(replies)
    with opened_models(model, **DEFAULTS) as models:
        corpus, readers = read_corpus(corpus_file), _read_readers(readers_file)
        for note in require_known_readers(readers, corpus):
            sys.stderr.write(f"note: {note}\n")
        before = read_provenance_file(provenance_place(corpus_file))
        require_one_counting(
            [*before, *({"system": one.options.title, "tokens": one.counting} for one in models)]
        )
        how = Asked(store, given, attempts, limits, price, dry=dry_run or batch)
        run = _Run(corpus, readers, options, how)
        if dry_run or batch:
            run.write_prompts(models, out, batch=batch)
            return
        with kept_when_ended():
            found = run.all(models)
        made = add_systems(corpus, found)
        stream = StringIO()
        write_jsonl(made, stream)
        write_text(stream.getvalue(), out)
        write_text(render_provenance([*before, *(one.record for one in found)]), provenance_place(out))
        report_corpus(made)


def _read_readers(path: Path) -> Readers:
    return read_readers(path, name=str(path))


class _Run:
    """What is asked about, and how each model is asked."""

    def __init__(self, corpus: Corpus, readers: Readers, options: GenerationOptions, how: Asked) -> None:
        self._corpus, self._readers, self._options, self._how = corpus, readers, options, how

    def write_prompts(self, models: Sequence[Model], out: Path, *, batch: bool) -> None:
        """Write what would be asked of the first model, and say of each what it would take."""
        if len(models) > 1 and batch:
            raise InputError("a batch file is for one model: name one --model")
        asked = [self._next_questions(model) for model in models]
        for model, questions in zip(models, asked, strict=True):
            kept = kept_replies(model, self._how.store, self._how.given)
            announce(model, expect(questions, model, kept, self._how.price))
        text = render_prompts(asked[0], models[0], batch=batch)
        write_text(text, out.with_suffix(BATCH if batch else PROMPTS))

    def all(self, models: Sequence[Model]) -> list[GeneratedStyle]:
        """Each model's systems; at a limit, or where a server is gone, the command ends with status 1."""
        try:
            return [one for model in models for one in self._one(model)]
        except StoppedError as error:
            sys.stderr.write(f"Stopped: {error}\n")
            raise typer.Exit(INCOMPLETE) from error

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

    def _one(self, model: Model) -> list[GeneratedStyle]:
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
