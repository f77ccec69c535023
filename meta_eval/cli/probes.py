"""Commands for studies of other papers on the same scores."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from meta_eval.cli.inputs import open_store, parse_measures, read_corpus
from meta_eval.cli.options import (
    ModeOption,
    NormaliseOption,
    OutOption,
    PreprocessOption,
    SeedOption,
    StoreOption,
    TokeniserOption,
)
from meta_eval.cli.publishing import choose_tables
from meta_eval.cli.records import Key, read_records
from meta_eval.cli.scores import measure_distances
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.measures import Measure
from meta_eval.publish.papers import PAPER_TABLES, PROMPT_TABLES, PaperForm, render_paper
from meta_eval.scores.prompt_styles import Pairs
from meta_eval.stats.significance.prompt_orders import Compared, compare_styles
from meta_eval.studies.icopernicus.paradoxes import (
    StyleScores,
    adversarial_changes,
    find_paradoxes,
    read_style_scores,
    styles_of_systems,
    summarise_orders,
)
from meta_eval.studies.icopernicus.tables import PromptStudy
from meta_eval.studies.icopernicus.uncertainty import (
    adversarial_record,
    compare_adversarial,
    egises_by_style,
    order_record,
    styled_systems,
)

Form = Literal["json", "csv", "text", "latex"]


def paradoxes(
    scores_file: Annotated[
        Path | None,
        typer.Argument(
            metavar="EGISES",
            help="CSV with the columns model and one for each prompt style, or the result of `score` as JSON "
            "with systems named MODEL: STYLE. Left out with --corpus.",
        ),
    ] = None,
    corpus_file: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            metavar="CORPUS",
            help="Score this corpus by --measure, and say how sure each paradox is, on shared cases.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option("--measure", "-m", metavar="M", help="Which measure of the JSON file, or of --corpus."),
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
        Pairs,
        typer.Option(help="Prompts compared: as the paper's Table 4 has them, its section 3, or all nine."),
    ] = "table",
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Say of each order how many models gain, and by how much."),
    ] = False,
    adversarial: Annotated[
        bool,
        typer.Option("--adversarial", help="Say what a random second reader changes, in points."),
    ] = False,
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
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    store: StoreOption = None,
    seed: SeedOption = 0,
    out: OutOption = None,
) -> None:
    """Find richer prompts that do no better: the paradoxes of iCOPERNICUS."""
    _check_ways(scores_file, corpus_file, measure, names, summary=summary, adversarial=adversarial)
    tables = choose_tables(names or [], {name: PAPER_TABLES[name] for name in PROMPT_TABLES})
    _check_form(form, len(tables))
    apart = frozenset(baseline or [])
    source: DistanceTable | None = None
    if corpus_file is not None:
        measures = parse_measures([f"{measure}"], mode, preprocess, tokeniser)
        source = _distances(corpus_file, measures, apart, normalise, store)
        machine = _Side(egises_by_style(source), f"{measure}")
    else:
        machine = _read_side(Path(f"{scores_file}"), "measure", "egises", measure, apart)
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
        if summary:
            records = [asdict(one) for one in summarise_orders(study.egises, pairs=pairs)]
        elif adversarial:
            records = list(_adversarial_records(study, source, seed))
        else:
            sure = None if source is None else compare_styles(source, pairs=pairs, seed=seed)
            records = list(_records(study, sure, beside=human_file is not None))
        write_text(render_records(records, "csv" if form == "csv" else "json"), out)
        return
    grids = {table: PROMPT_TABLES[table.name](study) for table in tables}
    if form == "csv" and (missing := next(iter(grids.values())).missing):
        raise InputError(missing)
    laid_out: PaperForm = "text" if form is None or form == "json" else form
    write_text("\n".join(render_paper(table, grid, laid_out) for table, grid in grids.items()), out)


def _check_ways(
    scores_file: Path | None,
    corpus_file: Path | None,
    measure: str | None,
    names: list[str] | None,
    *,
    summary: bool,
    adversarial: bool,
) -> None:
    """Raises `InputError` where it is not clear what is asked of what."""
    if (scores_file is None) == (corpus_file is None):
        raise InputError("give either a file of EGISES or --corpus CORPUS with --measure M")
    if corpus_file is not None and measure is None:
        raise InputError("--corpus is scored by a measure: name it, --measure jsd")
    if summary + adversarial + bool(names) > 1:
        raise InputError("--summary, --adversarial and --as each ask for tables of their own: choose one")


def _distances(
    corpus_file: Path,
    measures: list[Measure],
    apart: frozenset[str],
    normalise: Normalise,
    store: str | None,
) -> DistanceTable:
    """Distances of the systems that are named MODEL: STYLE; raises `InputError` where none is."""
    if apart:
        raise InputError("--baseline is a system of a JSON file: leave it out beside --corpus")
    corpus = read_corpus(corpus_file)
    systems = styled_systems(corpus.systems)
    (measure,) = measures
    return measure_distances(corpus, measure, systems=systems, normalise=normalise, store=open_store(store))


def _adversarial_records(
    study: PromptStudy, source: DistanceTable | None, seed: int
) -> Iterator[dict[str, Any]]:
    """One record a model and contrastive style; with a corpus how sure the change is on shared cases."""
    changes = adversarial_changes(study.egises)
    if not changes:
        raise InputError(
            "no system is named MODEL: STYLE, random User2: make such systems with `generate --adversarial`"
        )
    sure = None if source is None else compare_adversarial(source, seed=seed)
    for one in changes:
        yield {
            **asdict(one),
            **({} if sure is None else adversarial_record(sure.get((one.model, one.style)))),
        }


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


def _records(study: PromptStudy, sure: Compared | None, *, beside: bool) -> Iterator[dict[str, Any]]:
    """One record a model and paradox, with how sure it is where a corpus was scored.

    With people's beside them, those of models that only they know come last.
    """
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
        told = {} if sure is None else order_record(sure.get((one.model, one.paradox)))
        yield {**asdict(one), **told, **(theirs if beside else {})}
