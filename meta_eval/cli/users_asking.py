"""Commands of UserSumBench that ask models: `users summarise` and `users score`."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.asking import StagedAsking, UnansweredError, prompts_name, save_prompts, stopping
from meta_eval.cli.llm_options import AskOptions, asks_models, opened_models, require_draws
from meta_eval.cli.options import SeedOption, folder_place
from meta_eval.errors import InputError
from meta_eval.files.json_files import json_lines
from meta_eval.files.writing import write_text
from meta_eval.llm.models import parse_model
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.users.claims import Entities
from meta_eval.studies.users.comparing import RESAMPLES, Resampling
from meta_eval.studies.users.critique import Critique, count_segments, summarise_critically
from meta_eval.studies.users.metrics import USUAL_SHARE, WORDS, parse_threshold
from meta_eval.studies.users.predicting import match_tasks, prediction_questions
from meta_eval.studies.users.results import result_texts
from meta_eval.studies.users.scoring import Setting, score_summaries
from meta_eval.studies.users.segments import LEAST, Every
from meta_eval.studies.users.summaries import Summary, read_summaries, summary_lines
from meta_eval.studies.users.summarising import CONTEXT, Approach, Size, summarise_single
from meta_eval.studies.users.tasks import read_tasks
from meta_eval.studies.users.timelines import FUTURE, read_timelines
from meta_eval.studies.users.writing import writing_record

TimelineFile = Annotated[Path, typer.Argument(metavar="TIMELINE.jsonl", help="Timelines, one user a line.")]
FutureOption = Annotated[
    int, typer.Option(min=1, help="How many last activities of a user are the future, which is asked about.")
]
OneModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="KIND:OPTIONS",
        help="A model: http:model=NAME,url=..., local:model=FOLDER, or replay:model=NAME.",
    ),
]
FolderOut = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="FOLDER", help="Where the files go.", callback=folder_place),
]
WordsOption = Annotated[int, typer.Option(min=1, help="The most words of a summary.")]


@asks_models
def summarise(
    timeline_file: TimelineFile,
    model: OneModelOption,
    out: FolderOut,
    approach: Annotated[
        Approach, typer.Option(help="One request a user, or segments that are checked and revised.")
    ] = "single",
    verifier: Annotated[
        str | None,
        typer.Option(metavar="KIND:OPTIONS", help="Another model that checks. [default: --model]"),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What the summaries are called. [default: the approach]")
    ] = None,
    words: WordsOption = WORDS,
    context: Annotated[
        int, typer.Option(min=200, help="Tokens of a prompt; the oldest activities go first.")
    ] = CONTEXT,
    future: FutureOption = FUTURE,
    every: Annotated[Every, typer.Option(help="Where segments end.")] = "quarter",
    least: Annotated[int, typer.Option(min=1, help="Activities of a segment at least.")] = LEAST,
    rounds: Annotated[int, typer.Option(min=0, max=10, help="Rounds of checks and revisions.")] = 2,
    claims: Annotated[int, typer.Option(min=1, help="The most claims of a segment that are checked.")] = 10,
    entities: Annotated[
        Entities, typer.Option(help="Who finds what a text names: the verifier, or the items' names.")
    ] = "model",
    *,
    how: AskOptions,
) -> None:
    """Let a model summarise what users did before the future, at once or in checked segments."""
    critique = None
    if approach == "hierarchy-critique":
        critique = Critique(every=every, least=least, rounds=rounds, claims=claims, entities=entities)
    elif verifier is not None:
        raise InputError("--verifier checks segments: it needs --approach hierarchy-critique")
    size, called = Size(words, context), name or approach
    timelines = read_timelines(timeline_file)
    typed = [model] if verifier is None else [model, verifier]
    with opened_models(typed) as models, _asking(out, how):
        asking = [StagedAsking(one, how) for one in models]
        writer, checker = asking[0], asking[-1]
        if critique is None:
            made = summarise_single(timelines, writer, size=size, future=future, approach=called)
        else:
            segments = count_segments(timelines, critique, future)
            most = critique.most_calls(segments) + len(timelines)
            sys.stderr.write(f"{segments:,} segments: at most {most:,} questions, asked step by step\n")
            made = summarise_critically(
                timelines, writer, checker, critique=critique, size=size, future=future, approach=called
            )
        roles = dict(zip(("summariser", "verifier"), asking, strict=False))
        record = writing_record(
            made,
            approach=called,
            timelines=timelines,
            future=future,
            size=size,
            critique=critique,
            attempts=how.attempts,
            asked={role: (one.model.options, one.requests, one.answers) for role, one in roles.items()},
        )
    for one in asking:
        one.report()
    for reason, count in made.left_out.items():
        sys.stderr.write(f"note: {count:,} {reason}: no summary\n")
    if made.unchecked:
        sys.stderr.write(
            f"note: {made.unchecked:,} claims beyond {claims} of a segment in a round were not checked: "
            "raise --claims\n"
        )
    write_text("".join(summary_lines(made.summaries)), out / "summaries.jsonl")
    write_text(json_lines(made.trail), out / "trail.jsonl")
    write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", out / "run.json")


@asks_models
def score(
    summary_files: Annotated[
        list[Path], typer.Argument(metavar="SUMMARIES.jsonl...", help="Summaries, of one approach or more.")
    ],
    tasks: Annotated[Path, typer.Option(metavar="TASKS.jsonl", help="What `users tasks` made.")],
    model: OneModelOption,
    out: FolderOut,
    at_least: Annotated[
        str, typer.Option(metavar="SHARE|NUMBER", help="From what on a summary is good: 60%, or 3 tasks.")
    ] = USUAL_SHARE,
    words: WordsOption = WORDS,
    no_controls: Annotated[
        bool, typer.Option("--no-controls", help="Do not ask without a summary, or with another user's.")
    ] = False,
    all_orders: Annotated[
        bool, typer.Option("--all-orders", help="Ask each task once for each place of its options.")
    ] = False,
    draws: Annotated[int, typer.Option(min=1, max=100, help="How often each question is asked.")] = 1,
    resamples: Annotated[
        int, typer.Option(min=100, help="Resamples of users for each interval.")
    ] = RESAMPLES,
    *,
    how: AskOptions,
    seed: SeedOption = 0,
) -> None:
    """Score summaries by what a model predicts from them alone: QM, IFM, IDM, with two controls."""
    setting = Setting(
        threshold=parse_threshold(at_least),
        limit=words,
        attempts=how.attempts,
        draws=draws,
        all_orders=all_orders,
        controls=not no_controls,
        seed=seed,
    )
    require_draws([parse_model(model)], draws)
    matched = match_tasks(_read_all(summary_files), read_tasks(tasks))
    prompt = load_prompt("users-predict")
    asked = prediction_questions(
        matched, prompt, controls=setting.controls, all_orders=all_orders, draws=draws, seed=seed
    )
    with opened_models([model]) as models, _asking(out, how):
        asking = StagedAsking(models[0], how)
        answers = asking([question for _, question in asked])
        results, predictions = score_summaries(
            matched, asked, answers,
            options=asking.model.options, prompt=prompt, setting=setting,
            resampling=Resampling(resamples=resamples, seed=seed),
        )  # fmt: skip
    asking.report()
    for record in results.scores:
        for reason, count in record["left_out"].items():
            sys.stderr.write(f"note: {record['approach']}: {count:,} {reason}\n")
    for file, text in result_texts(results, predictions).items():
        write_text(text, out / file)


@contextmanager
def _asking(out: Path, how: AskOptions) -> Iterator[None]:
    """What a command that asks ends with: prompts of a dry run, or status 1 where it stopped."""
    try:
        with stopping():
            yield
    except UnansweredError as error:
        file = out / prompts_name(how)
        save_prompts(error.model, error.questions, how, file)
        sys.stderr.write(
            f"{error.model.options.title}: {len(error.questions):,} questions have no kept reply: {file}. "
            "What is asked after these depends on their answers.\n"
        )
        raise typer.Exit from error


def _read_all(files: list[Path]) -> list[Summary]:
    """Summaries of all files; an approach's summary of a user may stand in one of them alone."""
    found: dict[tuple[str, str], Path] = {}
    summaries: list[Summary] = []
    for file in files:
        for one in read_summaries(file, name=str(file)):
            key = (one.user, one.approach)
            if key in found:
                raise InputError(
                    f"{file} has a summary of user {one.user!r} by {one.approach!r}, and so has "
                    f"{found[key]}: name one of the approaches otherwise (`users summarise --name`)"
                )
            found[key] = file
            summaries.append(one)
    return summaries
