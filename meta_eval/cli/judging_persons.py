"""Commands in which models judge in a person's place: `judge reviews` and `judge comparisons` (PerSE)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from meta_eval.cli.asking import ask_parts, stopping, write_prompts, write_replies
from meta_eval.cli.inputs import parse_measures
from meta_eval.cli.llm_options import AskOptions, asks_models, opened_models, require_draws
from meta_eval.cli.options import SeedOption, choices, folder_place, plain
from meta_eval.errors import InputError
from meta_eval.files.json_files import json_lines
from meta_eval.files.writing import render_records, write_text
from meta_eval.llm.models import Reply
from meta_eval.llm.prompts import load_prompt
from meta_eval.llm.questions import Question
from meta_eval.studies.perse.agreement import PersonDraws
from meta_eval.studies.perse.baselines import Baseline
from meta_eval.studies.perse.cases import Profiles, ReviewCase, tuning_cases, with_profiles
from meta_eval.studies.perse.comparisons import (
    alignment_records,
    baseline_comparisons,
    judge_comparisons,
    summarise_comparisons,
)
from meta_eval.studies.perse.memorised import Titles, name_items, read_titles, title_questions
from meta_eval.studies.perse.questions import ASPECTS, comparison_questions, review_questions
from meta_eval.studies.perse.reading import HIGHEST, LOWEST, read_aspects, read_comparisons, read_reviews
from meta_eval.studies.perse.reviews import baseline_reviews, judge_reviews, summarise_reviews, title_records
from meta_eval.studies.perse.tuning import comparison_answer, review_answer, tuning_lines

OneBaseline: Any = choices(Baseline)
OneProfiles: Any = choices(Profiles)

ModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="KIND:OPTIONS",
        help="A model: http:model=NAME,url=..., local:model=FOLDER, or replay:model=NAME. May be repeated.",
    ),
]
FolderOption = Annotated[
    Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the files go.", callback=folder_place)
]
BaselineOption = Annotated[
    list[OneBaseline] | None,
    typer.Option(
        "--baseline", help="A baseline beside the models; no-profile needs a model. May be repeated."
    ),
]
ProfilesOption = Annotated[
    list[OneProfiles] | None,
    typer.Option(
        "--profiles",
        help="Whose past judgments a model sees; shuffled is the control. May be repeated. [default: own]",
    ),
]
DrawsOption = Annotated[int, typer.Option(min=1, max=100, help="How often each question is asked.")]
ResamplesOption = Annotated[int, typer.Option(min=0, help="Resamples of persons for intervals; 0: none.")]
HeldOutOption = Annotated[
    float | None,
    typer.Option(min=0.01, max=0.99, help="Judge for this share of persons alone, drawn by --seed."),
]
TuningOption = Annotated[
    bool,
    typer.Option("--tuning", help="Write the other persons' examples as chat JSONL to tune on; ask nothing."),
]


@asks_models
def reviews(
    file: Annotated[
        Path, typer.Argument(metavar="REVIEWS.jsonl", help="Reviews a line, or Per-MPST as released.")
    ],
    out: FolderOption,
    model: ModelsOption = None,
    baseline: BaselineOption = None,
    profiles: ProfilesOption = None,
    profile_size: Annotated[int, typer.Option(min=1, max=20, help="Past reviews in a profile.")] = 3,
    lowest: Annotated[float, typer.Option(help="The lowest score that people could give.")] = LOWEST,
    highest: Annotated[float, typer.Option(help="The highest score that people could give.")] = HIGHEST,
    held_out: HeldOutOption = None,
    tuning: TuningOption = False,
    explanation_measure: Annotated[
        list[str] | None,
        typer.Option(metavar="M", help="Compare explanations by it. [default: bleu:n=4, rouge-1]"),
    ] = None,
    ask_title: Annotated[
        Path | None,
        typer.Option(
            metavar="TITLES.csv", help="Ask models to name each work, too: a table with item and title."
        ),
    ] = None,
    resamples: ResamplesOption = 1000,
    draws: DrawsOption = 1,
    *,
    how: AskOptions,
    seed: SeedOption = 0,
) -> None:
    """Let models score texts as particular persons would, and say how well they agree with them (PerSE)."""
    measures = parse_measures(explanation_measure or ["bleu:n=4", "rouge-1"], "paper", None, None)
    wanted, without_model = _chosen(model, baseline, profiles, tuning=tuning)
    found = read_reviews(file, lowest=lowest, highest=highest, size=profile_size, seed=seed)
    prompt = load_prompt("judge-reviews")
    kept_out, cases = tuning_cases(found.cases, held_out, seed=seed)
    if tuning:
        _require_held_out(held_out)
        asked = [one for _, one in review_questions(kept_out, prompt)]
        _write_tuning(asked, [review_answer(case) for case in kept_out], out)
        return
    queries = {(case.person, case.subject) for case in cases}
    titles = _titles(ask_title, cases, model)
    naming = title_questions(cases, titles, load_prompt("judge-title"))
    known = [
        *found.known,
        *(case.query for case in found.cases if (case.person, case.subject) not in queries),
    ]
    used: dict[str, Reply] = {}
    with opened_models(model or []) as models:
        require_draws([one.options for one in models], draws)
        under = {one: with_profiles(cases, one, seed=seed) for one in wanted}
        asked_under = {one: review_questions(under[one], prompt, draws=draws) for one in under}
        parts = [[question for _, question in asked_under[which]] for which in wanted]
        parts.append([question for _, question in naming])
        if not how.sends:
            _require_models(models)
            every = [question for part in parts for question in part]
            write_prompts(models, every, how, out)
            return
        judged = [baseline_reviews(cases, one, known, seed=seed) for one in without_model]
        with stopping():
            for one in models:
                *answered, said = ask_parts(one, how, parts, used)
                named = name_items(naming, said, titles)
                judged += [
                    judge_reviews(
                        under[which],
                        asked_under[which],
                        answers,
                        options=one.options,
                        profiles=which,
                        prompt=prompt,
                        attempts=how.attempts,
                        named=named,
                    )
                    for which, answers in zip(wanted, answered, strict=True)
                ]
    facts = {
        "file": file.name,
        "persons": len({case.person for case in cases}),
        "file_left_out": dict(found.left_out),
        "held_out": held_out,
        "resamples": resamples,
        "seed": seed,
    }
    persons = PersonDraws([case.person for case in cases], resamples=resamples, seed=seed)
    summary = summarise_reviews(judged, cases=cases, draws=persons, measures=measures, facts=facts)
    records = [record for one in judged for record in one.records((lowest, highest))]
    texts = {"judged.jsonl": json_lines(records), "agreement.json": render_records(summary, "json")}
    if titles:
        texts["titles.jsonl"] = json_lines(title_records(judged))
    _write(out, texts)
    write_replies(used, out)
    say_verdicts(summary)


@asks_models
def comparisons(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="COMPARISONS.jsonl", help="Comparisons a line, or Per-DOC as released, a file an aspect."
        ),
    ],
    out: FolderOption,
    model: ModelsOption = None,
    baseline: BaselineOption = None,
    profiles: ProfilesOption = None,
    profile_size: Annotated[int, typer.Option(min=1, max=20, help="Past comparisons in a profile.")] = 1,
    aspects: Annotated[
        Path | None,
        typer.Option(metavar="ASPECTS.csv", help="Aspects of your own: a table with name and question."),
    ] = None,
    both_orders: Annotated[
        bool, typer.Option("--both-orders", help="Ask with the new texts changed over, too.")
    ] = False,
    brief: Annotated[bool, typer.Option("--brief", help="Ask for no reason, as released.")] = False,
    held_out: HeldOutOption = None,
    tuning: TuningOption = False,
    resamples: ResamplesOption = 1000,
    draws: DrawsOption = 1,
    *,
    how: AskOptions,
    seed: SeedOption = 0,
) -> None:
    """Let models choose between two texts as particular persons would, aspect by aspect (PerSE)."""
    wanted, without_model = _chosen(model, baseline, profiles, tuning=tuning)
    if "matrix-factorisation" in without_model:
        raise InputError("matrix-factorisation foretells scores, not choices: use it with `judge reviews`")
    asked_of = read_aspects(aspects) if aspects else dict(ASPECTS)
    found = read_comparisons(files, aspects=list(asked_of), size=profile_size, seed=seed)
    prompt = load_prompt("judge-comparisons")
    kept_out, cases = tuning_cases(found.cases, held_out, seed=seed)
    if tuning:
        _require_held_out(held_out)
        asked = [one for _, one in comparison_questions(kept_out, prompt, aspects=asked_of, brief=True)]
        _write_tuning(asked, [comparison_answer(case) for case in kept_out], out)
        return
    used: dict[str, Reply] = {}
    with opened_models(model or []) as models:
        require_draws([one.options for one in models], draws)
        under = {one: with_profiles(cases, one, seed=seed) for one in wanted}
        asked_under = {
            one: comparison_questions(
                under[one], prompt, aspects=asked_of, both_orders=both_orders, brief=brief, draws=draws
            )
            for one in under
        }
        parts = [[question for _, question in asked_under[which]] for which in wanted]
        if not how.sends:
            _require_models(models)
            every = [question for part in parts for question in part]
            write_prompts(models, every, how, out)
            return
        judged = [baseline_comparisons(cases) for _ in without_model]
        with stopping():
            judged += [
                judge_comparisons(
                    under[which],
                    asked_under[which],
                    answers,
                    options=one.options,
                    profiles=which,
                    prompt=prompt,
                    aspects=asked_of,
                    attempts=how.attempts,
                )
                for one in models
                for which, answers in zip(wanted, ask_parts(one, how, parts, used), strict=True)
            ]
    facts = {
        "files": [file.name for file in files],
        "persons": len({case.person for case in cases}),
        "file_left_out": dict(found.left_out),
        "held_out": held_out,
        "resamples": resamples,
        "seed": seed,
    }
    persons = PersonDraws([case.person for case in cases], resamples=resamples, seed=seed)
    summary = summarise_comparisons(judged, draws=persons, facts=facts)
    records = [record for one in judged for record in one.records()]
    _write(
        out,
        {
            "judged.jsonl": json_lines(records),
            "alignments.csv": render_records(alignment_records(judged), "csv"),
            "agreement.json": render_records(summary, "json"),
        },
    )
    write_replies(used, out)
    say_verdicts(summary)


def _chosen(
    model: Sequence[str] | None,
    baseline: Sequence[Any] | None,
    profiles: Sequence[Any] | None,
    *,
    tuning: bool,
) -> tuple[list[Profiles], list[Baseline]]:
    """Under which profiles models are asked, and which baselines need none."""
    named: list[Baseline] = list(dict.fromkeys(plain(baseline or [])))
    wanted: list[Profiles] = list(dict.fromkeys(plain(profiles or [])))
    if "no-profile" in named:
        if not model:
            raise InputError("the baseline no-profile is a model that is told nothing: name a --model")
        wanted = list(dict.fromkeys([*(wanted or ["own"]), "none"]))
    if not (model or named or tuning):
        raise InputError("say who judges: --model, or --baseline reviewer-average")
    if profiles and not model:
        raise InputError("--profiles says what models are shown: name a --model, or leave it out")
    return (wanted or ["own"]) if model else [], [one for one in named if one != "no-profile"]


def _titles(file: Path | None, cases: Sequence[ReviewCase], models: Sequence[str] | None) -> Titles:
    """What items are called, where models are asked for that."""
    if file is None:
        return {}
    if not models:
        raise InputError("--ask-title asks models: name a --model, or leave it out")
    return read_titles(file, cases)


def _require_models(models: Sequence[Any]) -> None:
    if not models:
        raise InputError("--dry-run and --batch write what a model would be asked: name a --model")


def _require_held_out(held_out: float | None) -> None:
    if held_out is None:
        raise InputError("--tuning needs --held-out: the share of persons who are tested, not tuned on")


def _write_tuning(questions: Sequence[Question], answers: Sequence[str], out: Path) -> None:
    if not questions:
        raise InputError(
            "no example is left to tune on: each asks about a text of the test, or shows one in its profile; "
            "hold out a smaller share of persons (--held-out), or give reviews of more texts"
        )
    write_text("".join(tuning_lines(questions, answers)), out / "tuning.jsonl")


def _write(out: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        write_text(text, out / name)


def say_verdicts(summary: Sequence[Mapping[str, Any]]) -> None:
    """The verdict on each judge that has a control, and what to know of its interval, on stderr."""
    for record in summary:
        if record.get("verdict"):
            typer.echo(f"{record['judge']}: {record['verdict']}", err=True)
        if record.get("note"):
            typer.echo(f"note: {record['judge']}: {record['note']}", err=True)
