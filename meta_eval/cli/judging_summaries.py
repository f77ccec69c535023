"""The command `judge summaries`: PerSE as a measure of summarisers, with the records that `score` writes."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.asking import ask_parts, stopping, write_prompts, write_replies
from meta_eval.cli.inputs import read_corpus, read_histories, read_rating_file, require_order
from meta_eval.cli.judging_persons import DrawsOption, FolderOption, say_verdicts
from meta_eval.cli.llm_options import AskOptions, ModelOption, asks_models, opened_models, require_draws
from meta_eval.cli.options import CorpusFile, HighestOption, LowestOption, SeedOption, SystemOption
from meta_eval.corpus.readers import histories_of
from meta_eval.errors import InputError
from meta_eval.files.json_files import json_lines
from meta_eval.files.writing import render_records, write_text
from meta_eval.llm.models import Reply
from meta_eval.llm.prompts import load_prompt
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends
from meta_eval.studies.perse.measuring import judge_summaries, summarise_summaries
from meta_eval.studies.perse.summaries import SummaryPlan, summary_questions


@asks_models
def summaries(
    corpus_file: CorpusFile,
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
    *,
    how: AskOptions,
    seed: SeedOption = 0,
) -> None:
    """Let a model say how well summaries are what each reader would have written: perse and perse-own."""
    with opened_models(model) as models:
        if len(models) > 1:
            raise InputError(
                "perse is one measure of one model: name one --model, and call again for another"
            )
        require_draws([one.options for one in models], draws)
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
        histories = histories_of(read_histories(readers, corpus)) if readers else {}
        asked = [summary_questions(corpus, one, prompt, histories) for one in plans]
        parts = [[question for _, question in one.questions] for one in asked]
        if not how.sends:
            write_prompts(models, [question for part in parts for question in part], how, out)
            return
        used: dict[str, Reply] = {}
        with stopping():
            judged = [
                judge_summaries(
                    one,
                    which,
                    answers,
                    options=models[0].options,
                    prompt=prompt,
                    attempts=how.attempts,
                )
                for one, which, answers in zip(
                    asked, plans, ask_parts(models[0], how, parts, used), strict=True
                )
            ]
    write_text(render_records(judged[0].records(), "json"), out / "scores.json")
    write_text(json_lines(record for one in judged for record in one.answer_records()), out / "judged.jsonl")
    write_replies(used, out)
    summary = summarise_summaries(judged)
    write_text(render_records(summary, "json"), out / "run.json")
    say_verdicts(summary)
