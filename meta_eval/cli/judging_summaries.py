"""The command `judge summaries`: PerSE as a measure of summarisers, with the records that `score` writes."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import read_corpus, read_rating_file, require_order
from meta_eval.cli.judging_persons import DrawsOption, FolderOption, json_lines, say_verdicts
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
    given_replies,
    make_limits,
    opened_models,
)
from meta_eval.cli.llm_runs import Runs, require_draws, stopping
from meta_eval.cli.options import HighestOption, LowestOption, SeedOption, SystemOption
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.readers import read_readers, require_known_readers
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.llm.limits import Price
from meta_eval.llm.prompts import load_prompt
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends
from meta_eval.studies.perse.measuring import judge_summaries, summarise_summaries
from meta_eval.studies.perse.summaries import Histories, SummaryPlan, summary_questions


def summaries(
    corpus_file: Annotated[
        Path, typer.Argument(metavar="CORPUS.jsonl", help="Consolidated JSONL, one document a line.")
    ],
    model: ModelOption,
    out: FolderOption,
    ratings: Annotated[
        Path | None,
        typer.Option(
            "--ratings", metavar="RATINGS", help="Only the documents that people rated in this file."
        ),
    ] = None,
    readers: Annotated[
        Path | None,
        typer.Option(metavar="READERS.jsonl", help="What readers read before: reader and history a line."),
    ] = None,
    lowest: LowestOption = LOWEST,
    highest: HighestOption = HIGHEST,
    system: SystemOption = None,
    documents: Annotated[
        int | None, typer.Option(min=1, help="Only so many documents, drawn by --seed.")
    ] = None,
    profile_size: Annotated[
        int, typer.Option(min=1, max=20, help="Other articles of a reader in a profile.")
    ] = 3,
    no_own: Annotated[
        bool, typer.Option("--no-own", help="Leave perse-own out: one question a summary, not one a reader.")
    ] = False,
    shuffled: Annotated[
        bool, typer.Option("--shuffled", help="Ask under another reader's profile too, as a control.")
    ] = False,
    draws: DrawsOption = 1,
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
    """Let a model say how well summaries are what each reader would have written: perse and perse-own."""
    price = Price(price_in, price_out)
    limits = make_limits(max_requests, max_tokens_total, max_cost, per_minute, price)
    runs = Runs(store, given_replies(replies), attempts, limits, price)
    with opened_models(model) as models:
        if len(models) > 1:
            raise InputError(
                "perse is one measure of one model: name one --model, and call again for another"
            )
        require_draws(models, draws)
        corpus = read_corpus(corpus_file)
        only = None
        if ratings is not None:
            require_order("judge summaries", corpus_file, ratings)
            rated = {one.doc_id for one in read_rating_file(ratings, corpus, Ends(lowest, highest))}
            only = tuple(one.id for one in corpus.documents if one.id in rated)
        plan = SummaryPlan(
            size=profile_size,
            seed=seed,
            documents=documents,
            only=only,
            systems=None if system is None else tuple(system),
            own=not no_own,
            draws=draws,
        )
        plans = [plan, replace(plan, shuffled=True)] if shuffled else [plan]
        prompt = load_prompt("judge-summaries")
        histories = _histories(readers, corpus) if readers else {}
        asked = [summary_questions(corpus, one, prompt, histories) for one in plans]
        if dry_run or batch:
            every = [question for one in asked for _, question in one.questions]
            runs.write_prompts(models, every, out, batch=batch)
            return
        with stopping():
            judged = [
                judge_summaries(
                    one,
                    which,
                    runs.ask(models[0], [question for _, question in one.questions]),
                    options=models[0].options,
                    prompt=prompt,
                    attempts=attempts,
                    histories=histories,
                )
                for one, which in zip(asked, plans, strict=True)
            ]
    write_text(render_records(judged[0].records(), "json"), out / "scores.json")
    write_text(json_lines(record for one in judged for record in one.answer_records()), out / "judged.jsonl")
    runs.write_replies(out)
    summary = summarise_summaries(judged)
    write_text(render_records(summary, "json"), out / "run.json")
    say_verdicts(summary)


def _histories(path: Path, corpus: Corpus) -> Histories:
    """What the corpus' readers read before; a file of other people is an `InputError`."""
    found = read_readers(path, name=str(path))
    for note in require_known_readers(found, corpus):
        typer.echo(f"note: {note}", err=True)
    return {name: one.history for name, one in found.items()}
