"""Commands for studies of other papers on the same scores."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from meta_eval.cli.options import OutOption
from meta_eval.cli.publishing import choose_tables
from meta_eval.cli.records import Key, read_records
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.publish.papers import PAPER_TABLES, PROMPT_TABLES, PaperForm, render_paper
from meta_eval.scores.prompt_styles import Pairs
from meta_eval.studies.icopernicus.paradoxes import (
    StyleScores,
    find_paradoxes,
    read_style_scores,
    styles_of_systems,
)
from meta_eval.studies.icopernicus.tables import PromptStudy

Form = Literal["json", "csv", "text", "latex"]


def paradoxes(
    scores_file: Annotated[
        Path,
        typer.Argument(
            metavar="EGISES",
            help="CSV with the columns model and one for each prompt style, or the result of `score` as JSON "
            "with systems named MODEL: STYLE.",
        ),
    ],
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", metavar="M", help="Which measure of the JSON file.")
    ] = None,
    human_file: Annotated[
        Path | None,
        typer.Option(
            "--human",
            metavar="HUMAN",
            help="EGISES-HJ to set beside it: the result of `human` as JSON, or such a CSV table.",
        ),
    ] = None,
    surrogate: Annotated[
        str | None, typer.Option(metavar="X", help="Which surrogate of the human JSON file.")
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SYSTEM", help="A system of the JSON file that no prompt made. May be repeated."
        ),
    ] = None,
    pairs: Annotated[
        Pairs, typer.Option(help="Prompts compared: as the paper's Table 4 has them, or its section 3.")
    ] = "table",
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="NAME",
            help=f"Lay out as a table of the paper: {', '.join(PROMPT_TABLES)}, or all. May be repeated.",
        ),
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format", "-f", help="Format of the result. [default: json; text with --as, which has no json]"
        ),
    ] = None,
    out: OutOption = None,
) -> None:
    """Find richer prompts that do no better: the paradoxes PX-1 to PX-6 of iCOPERNICUS."""
    tables = choose_tables(names or [], {name: PAPER_TABLES[name] for name in PROMPT_TABLES})
    _check_form(form, len(tables))
    apart = frozenset(baseline or [])
    machine = _read_side(scores_file, "measure", "egises", measure, apart)
    people = (
        _Side() if human_file is None else _read_side(human_file, "surrogate", "egises_hj", surrogate, apart)
    )
    study = PromptStudy(
        egises=machine.scores,
        human=people.scores,
        baselines=machine.baselines,
        measure=machine.by,
        surrogate=people.by,
        pairs=pairs,
    )
    if not tables:
        records = list(_records(study, beside=human_file is not None))
        write_text(render_records(records, "csv" if form == "csv" else "json"), out)
        return
    grids = {table: PROMPT_TABLES[table.name](study) for table in tables}
    if form == "csv" and (missing := next(iter(grids.values())).missing):
        raise InputError(missing)
    laid_out: PaperForm = "text" if form is None or form == "json" else form
    write_text("\n".join(render_paper(table, grid, laid_out) for table, grid in grids.items()), out)


def _check_form(form: Form | None, tables: int) -> None:
    """Raises `InputError` for a form that so many tables of the paper cannot have."""
    if not tables and form in ("text", "latex"):
        raise InputError(f"--format {form} is of a table: say which, --as {next(iter(PROMPT_TABLES))}")
    if tables and (form == "json" or (form == "csv" and tables > 1)):
        raise InputError("--as writes text, latex, or one table as csv")


@dataclass(frozen=True, slots=True)
class _Side:
    """EGISES by model and style, by which measure or surrogate where that is known, and of other systems."""

    scores: StyleScores = field(default_factory=dict)
    by: str = ""
    baselines: Mapping[str, float | None] = field(default_factory=dict)


def _read_side(path: Path, key: Key, score: str, chosen: str | None, apart: frozenset[str]) -> _Side:
    """Raises `InputError` for a system to stand apart that the automatic scores do not have."""
    if path.suffix != ".json":
        if apart and key == "measure":
            raise InputError(f"--baseline is a system of a JSON file, which {path} is not")
        return _Side(read_style_scores(path, name=str(path)))
    records = read_records(path, key, score)
    styled = [record for record in records if record["system"] not in apart]
    found = styles_of_systems(styled, chosen, key=key, score=score)
    by = chosen or (styled or records)[0][key]
    others = {row["system"]: row[score] for row in records if row["system"] in apart and row[key] == by}
    if key == "measure" and (missing := sorted(apart - others.keys())):
        raise InputError(f"--baseline names {missing[0]!r}, which is no system of {path}")
    return _Side(found, by, others)


def _records(study: PromptStudy, *, beside: bool) -> Iterator[Mapping[str, Any]]:
    """One record a model and paradox; with people's beside them, those of models that only they know last."""
    models = dict.fromkeys([*study.egises, *study.human])
    people = {
        (one.model, one.paradox): one
        for one in find_paradoxes({model: study.human.get(model, {}) for model in models}, pairs=study.pairs)
    }
    for one in find_paradoxes({model: study.egises.get(model, {}) for model in models}, pairs=study.pairs):
        human = people[one.model, one.paradox]
        known = one.is_paradox is not None and human.is_paradox is not None
        theirs = {
            "human_poorer_egises": human.poorer_egises,
            "human_richer_egises": human.richer_egises,
            "human_is_paradox": human.is_paradox,
            "human_reason": human.reason,
            "alike": one.is_paradox == human.is_paradox if known else None,
        }
        yield {**asdict(one), **(theirs if beside else {})}
