"""iCOPERNICUS' Tables 3, 4, 5 and 9, laid out from EGISES by model and prompt style."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from meta_eval.report.answer import measure_title
from meta_eval.report.published.remarks import remarks_on_kind
from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.tables.papers.layout import MEASURED, made_of, simulated_remarks
from meta_eval.report.view import View
from meta_eval.scores.prompt_styles import PAIRS, STYLES, Pairs, is_adversarial, is_styled
from meta_eval.studies.icopernicus.paradoxes import (
    PromptParadox,
    StyleScores,
    find_paradoxes,
    styles_of_systems,
)

TOP = 5
_WANTED = "name systems MODEL: STYLE, as in 'Zephyr: 0-shot', or give the command paradoxes a table of EGISES"
_MEASURE = "jsd"
"""The measure of the paper's tables."""
_NOBODY_RATED = (
    "There are no human scores by prompt style: have systems rated that are named MODEL: STYLE, as in "
    "'Zephyr: 0-shot', or give the command paradoxes the result of human as --human."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptStudy:
    """What the tables are made of: EGISES (lower is better) by model and style, of measures and of people.

    `baselines` are other systems with their EGISES. `measure` and `surrogate` say by what both are. `pairs`
    is how the paradoxes are read. `made` is the sentence that says of which corpus and with which options.
    """

    egises: StyleScores
    human: StyleScores = field(default_factory=dict)
    baselines: Mapping[str, float | None] = field(default_factory=dict)
    measure: str = ""
    surrogate: str = ""
    pairs: Pairs = "table"
    made: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def paradoxes(self) -> dict[tuple[str, str], PromptParadox]:
        """Each cell by model and paradox."""
        return _by_cell(find_paradoxes(self.egises, pairs=self.pairs))

    @property
    def human_paradoxes(self) -> dict[tuple[str, str], PromptParadox]:
        return _by_cell(find_paradoxes(self.human, pairs=self.pairs))


def _by_cell(found: Iterable[PromptParadox]) -> dict[tuple[str, str], PromptParadox]:
    return {(one.model, one.paradox): one for one in found}


def prompt_study_of(report: Report, view: View) -> PromptStudy:
    """What a report has of it: EGISES by Jensen-Shannon where it was computed, else by what is in view.

    Parameters
    ----------
    report : Report
    view : View
        Whose measure and surrogate are taken where Jensen-Shannon's are not there.

    Returns
    -------
    PromptStudy

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from meta_eval import InferenceOptions, make_report, read_ratings
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain"}}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, systems),))
    >>> rows = [("d", name, "ann", "bob", "p", value) for name, value in [("user", 2), ("A", 2), ("B", 6)]]
    >>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    >>> ratings = read_ratings(DataFrame(rows, columns=columns), corpus)
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> asked = {"measures": ["jsd"], "surrogates": ["jsd"], "scale": "similarity", "inference": quick}
    >>> report = make_report(corpus, ratings, **asked).report
    >>> from meta_eval.report.view import choose_view
    >>> prompt_study_of(report, choose_view(report, {})).measure
    'jsd'
    """
    rows = [row for row in report.leaderboard if row.score in ("egises", "egises_hj")]
    measure = _choose(
        (row.measure for row in rows if row.side == "automatic" and row.value is not None), view.measure
    )
    surrogate = _choose(
        (row.measure for row in rows if row.side == "human" and row.value is not None), view.surrogate
    )
    automatic = [_record(row) for row in rows if (row.side, row.measure) == ("automatic", measure)]
    human = [_record(row) for row in rows if (row.side, row.measure) == ("human", surrogate)]
    return PromptStudy(
        egises=_styled(automatic),
        human=_styled([record for record in human if record["egises"] is not None]),
        baselines={
            row["system"]: row["egises"]
            for row in automatic
            if not (is_styled(row["system"]) or is_adversarial(row["system"]))
        },
        measure=measure,
        surrogate=surrogate,
        made=made_of(report, MEASURED),
        remarks=tuple(simulated_remarks(report)),
    )


def _choose(there: Iterable[str], in_view: str) -> str:
    return _MEASURE if _MEASURE in set(there) else in_view


def _record(row: Any) -> dict[str, Any]:
    return {"system": row.system, "measure": row.measure, "egises": row.value}


def _styled(records: list[dict[str, Any]]) -> StyleScores:
    named = [record for record in records if is_styled(record["system"])]
    return styles_of_systems(named) if named else {}


def lay_out_table_3(study: PromptStudy) -> Grid:
    """EGISES: models down, prompt styles across."""
    grid = Grid(
        name="icopernicus-table-3",
        title=f"EGISES{_by(study.measure)} of each model by prompt style",
        heads=("Model",),
        columns=_style_columns(study.egises),
    )
    if not grid.columns:
        return replace(grid, missing=_no_styles("scores of EGISES by prompt style", named=study.egises))
    lines = tuple(
        Line(
            heads=(model,),
            key=model,
            cells=tuple(Cell(kind="score", value=scores.get(column.key)) for column in grid.columns),
        )
        for model, scores in study.egises.items()
    )
    note = "Lower is better. C-: contrastive; w/o, w/: examples without and with the reader's history."
    return replace(grid, note=f"{note}{_made(study)}", lines=lines, remarks=remarks_on_kind(grid.name, {}))


def lay_out_table_4(study: PromptStudy) -> Grid:
    """Models down, paradoxes PX-1 to PX-5 across."""
    grid = Grid(name="icopernicus-table-4", title="Prompt paradoxes of each model", heads=("Model",))
    if not study.egises:
        return replace(grid, missing=_no_styles("prompt paradoxes"))
    names = _names_of(study)
    found = study.paradoxes
    return replace(
        grid,
        note=f"yes: the richer prompt's EGISES{_by(study.measure)} is not lower. "
        f"{_pairs_in_words(study, names)}{_made(study)}",
        columns=tuple(Column(title=name, key=name) for name in names),
        lines=tuple(
            Line(heads=(model,), key=model, cells=tuple(_verdict(found[model, name]) for name in names))
            for model in study.egises
        ),
        remarks=remarks_on_kind(grid.name, {}),
    )


def lay_out_table_5(study: PromptStudy) -> Grid:
    """The five models with the lowest EGISES by their best prompt, their paradoxes; then the baselines."""
    grid = Grid(
        name="icopernicus-table-5",
        title=f"The {TOP} models with the best EGISES{_by(study.measure)}, and their paradoxes",
        heads=("Model",),
    )
    if not _style_columns(study.egises):
        return replace(grid, missing=_no_styles("models to rank", named=study.egises))
    below = (
        "Below the rule: systems that no prompt made."
        if study.baselines
        else "There are no other systems to set beside them as baselines."
    )
    return replace(
        grid,
        note=f"Each by its best prompt; lower is better. {below}{_made(study)}",
        columns=(
            Column(title="Best prompt", key="style"),
            Column(title="EGISES", key="egises"),
            Column(title="Paradoxes", key="paradoxes"),
        ),
        lines=tuple(_top_lines(study)),
        remarks=remarks_on_kind(grid.name, {}),
    )


def _top_lines(study: PromptStudy) -> Iterator[Line]:
    found = study.paradoxes
    names = _names_of(study)
    best = {
        model: min((value, style) for style, value in scores.items() if value is not None)
        for model, scores in study.egises.items()
        if any(value is not None for value in scores.values())
    }
    for model in sorted(best, key=lambda model: best[model][0])[:TOP]:
        value, style = best[model]
        verdicts = {name: found[model, name].is_paradox for name in names}
        known = sum(verdict is not None for verdict in verdicts.values())
        named = ", ".join(name for name, verdict in verdicts.items() if verdict) or "no paradox"
        paradoxes = named if known == len(names) else f"{named} (of {known} known)"
        yield Line(heads=(model,), key=model, cells=(style, Cell(kind="score", value=value), paradoxes))
    ranked = sorted(study.baselines.items(), key=lambda item: (item[1] is None, item[1] or 0.0))
    for number, (system, baseline) in enumerate(ranked):
        cells = ("–", Cell(kind="score", value=baseline), "–")
        yield Line(heads=(system,), key=system, cells=cells, rule=not number)


def lay_out_table_9(study: PromptStudy) -> Grid:
    """EGISES of people by model and style, and each paradox that people show beside the automatic one."""
    grid = Grid(
        name="icopernicus-table-9",
        title=f"EGISES-HJ{_by(study.surrogate)} of each model by prompt style, and its paradoxes",
        heads=("Model",),
    )
    people = study.human_paradoxes
    names = [
        name
        for name in PAIRS[study.pairs]
        if any(people[model, name].is_paradox is not None for model in study.human)
    ]
    if not study.human:
        return replace(grid, missing=_NOBODY_RATED)
    machine = study.paradoxes
    styles = _style_columns(study.human)
    models = list(study.human)
    return replace(
        grid,
        note="Of raters; lower is better. yes: the richer prompt's EGISES is not lower, by raters and by "
        f"EGISES{_by(study.measure)}. {_pairs_in_words(study, names)}{_made(study)}",
        columns=(
            *styles,
            *(
                Column(title=f"{name}, {side}", key=f"{name} {side}")
                for name in names
                for side in ("raters", "automatic")
            ),
        ),
        lines=tuple(
            Line(
                heads=(model,),
                key=model,
                cells=(
                    *(Cell(kind="score", value=study.human[model].get(column.key)) for column in styles),
                    *(_verdict(found.get((model, name))) for name in names for found in (people, machine)),
                ),
            )
            for model in models
        ),
        foot=_alike(models, names, len(styles), people, machine),
        remarks=(*study.remarks, *remarks_on_kind(grid.name, {})),
    )


def _names_of(study: PromptStudy) -> list[str]:
    """The paradoxes of Tables 4 and 5; PX-6 is of Table 9 alone."""
    return [name for name in PAIRS[study.pairs] if name != "PX-6"]


def _alike(
    models: list[str],
    names: list[str],
    styles: int,
    people: Mapping[tuple[str, str], PromptParadox],
    machine: Mapping[tuple[str, str], PromptParadox],
) -> tuple[Line, ...]:
    """Of how many models both sides say the same."""
    counts = []
    for name in names:
        both = [
            (people[model, name].is_paradox, machine[model, name].is_paradox)
            for model in models
            if (model, name) in machine
        ]
        known = [raters == automatic for raters, automatic in both if None not in (raters, automatic)]
        counts += [f"{sum(known)} of {len(known)}", None]
    return (Line(heads=("Alike",), cells=(*[None] * styles, *counts)),) if names else ()


def _style_columns(scores: StyleScores) -> tuple[Column, ...]:
    """The styles of which any model has a score."""
    there = {style for own in scores.values() for style, value in own.items() if value is not None}
    return tuple(Column(title=style, key=style) for style in STYLES if style in there)


def _verdict(found: PromptParadox | None) -> str | Cell:
    if found is None or found.is_paradox is None:
        return Cell(reason=found.reason if found else "no such scores")
    return "yes" if found.is_paradox else "no"


def _pairs_in_words(study: PromptStudy, names: Iterable[str]) -> str:
    pairs = (f"{name}: {' to '.join(PAIRS[study.pairs][name])}" for name in names)
    return f"{'; '.join(pairs)}."


def _made(study: PromptStudy) -> str:
    """Of what, after a sentence; nothing where a table of EGISES came without its report."""
    return f" {study.made}" if study.made else ""


def _by(measure: str) -> str:
    return f" by {measure_title(measure)}" if measure else ""


def _no_styles(what: str, *, named: StyleScores | None = None) -> str:
    if named:
        return f"There are no {what}, because no system that is named after its prompt has an EGISES."
    return f"There are no {what}, because no system is named after its prompt: {_WANTED}."
