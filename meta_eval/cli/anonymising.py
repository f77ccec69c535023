"""`judge anonymise`: reviews of public works, with new names and perhaps shorter texts."""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.asking import StagedAsking, UnansweredError, save_prompts, stopping, write_replies
from meta_eval.cli.asking import prompts_name as name_of_prompts
from meta_eval.cli.llm_options import AskOptions, ModelOption, asks_models, opened_models
from meta_eval.cli.options import folder_place
from meta_eval.errors import InputError
from meta_eval.files.json_files import json_lines
from meta_eval.files.writing import render_records, write_text
from meta_eval.llm.prompts import load_prompt
from meta_eval.llm.runs import count_answers
from meta_eval.llm.signing import asked_signature
from meta_eval.measures.signatures import signature_line
from meta_eval.studies.perse.anonymising import OURS, PAPER, Anonymous, anonymise, read_public_reviews

MEASURE = "anonymous-reviews"


@asks_models
def anonymise_reviews(
    file: Annotated[Path, typer.Argument(metavar="REVIEWS.jsonl", help="Reviews a line, as for reviews.")],
    model: ModelOption,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FOLDER", help="Where the files go.", callback=folder_place),
    ],
    shorten: Annotated[
        bool, typer.Option("--shorten", help="Tell each text anew without details that give it away.")
    ] = False,
    words: Annotated[int, typer.Option(min=20, max=2000, help="The most words, with --shorten.")] = 300,
    *,
    how: AskOptions,
) -> None:
    """Replace the names in reviews of public works, so that a model knows these less easily (PerSE)."""
    if len(model) > 1:
        raise InputError("one model anonymises: name one --model")
    reviews = read_public_reviews(file)
    prompts = [load_prompt("anonymise-names")]
    prompts += [load_prompt("anonymise-shorten")] if shorten else []
    with opened_models(model) as (one,):
        asking = StagedAsking(one, how)
        try:
            with stopping():
                made = anonymise(
                    reviews, asking, prompts[0], shorten=prompts[1] if shorten else None, words=words
                )
        except UnansweredError as error:
            save_prompts(error.model, error.questions, how, out / name_of_prompts(how))
            return
        asking.report()
        signatures = [
            asked_signature(
                MEASURE,
                one.options,
                prompt,
                requests=[question.request for question in asking.requests if question.id.startswith(step)],
                attempts=how.attempts,
                more={"words": words} if step == "shorten" else {},
            )
            for prompt, step in zip(prompts, ("names", "shorten"), strict=False)
        ]
        counted = count_answers(asking.answers)
    run = {
        "file": file.name,
        "works": len(made.works),
        "reviews": len(made.reviews),
        "works_left_out": dict(sorted(Counter(made.left_out.values()).items())),
        "names": sum(map(len, made.names.values())),
        "shortened_to": words if shorten else None,
        **counted,
        "decisions": {"paper": list(PAPER), "ours": list(OURS)},
        "signatures": [signature.as_dict() for signature in signatures],
        "signature_lines": [signature_line(signature) for signature in signatures],
    }
    write_text(json_lines(made.reviews), out / "reviews.jsonl")
    write_text(json_lines(_key_lines(made)), out / "key.jsonl")
    write_text(render_records([run], "json"), out / "run.json")
    write_replies(asking.replies, out)
    if made.left_out:
        sys.stderr.write(f"note: {len(made.left_out)} works are left out, since a step had no answer\n")
    sys.stderr.write("note: key.jsonl and replies.jsonl name the works: keep them to yourself\n")


def _key_lines(made: Anonymous) -> list[dict[str, object]]:
    return [{"work": made.works[item], "item": item, "names": names} for item, names in made.names.items()]
