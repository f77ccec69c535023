"""Commands that ask how stable a score is, and what moves its agreement with people."""

from collections.abc import Collection
from dataclasses import asdict, replace
from typing import Annotated, Any

import numpy as np
import typer

from meta_eval.cli.inputs import (
    open_store,
    parse_measures,
    read_corpus,
    read_rated_rows,
    require_order,
)
from meta_eval.cli.judged_runs import PerseOption, read_judged
from meta_eval.cli.options import (
    AlphaOption,
    AutomaticFile,
    CorpusFile,
    EdpReadersOption,
    FormatOption,
    GammaOption,
    HighestOption,
    HumanFile,
    JudgedOption,
    LowestOption,
    MeasureOption,
    ModeOption,
    NormaliseOption,
    OutOption,
    PreprocessOption,
    RatingsFile,
    ScaleOption,
    ScoreOption,
    SeedOption,
    StoreOption,
    SurrogatesOption,
    SystemOption,
    TokeniserOption,
)
from meta_eval.cli.records import NO_RATINGS, note_no_null, read_records, scores_by, with_judged
from meta_eval.cli.scores import measure_distances, score_measure
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends
from meta_eval.report.reliability import AUTOMATIC, HUMAN, shared_settings
from meta_eval.report.shared import shared_in_aggregation, shared_parts
from meta_eval.scores.contributions import Contributions, ScoreOptions
from meta_eval.scores.human import score_humans
from meta_eval.scores.judged import stand_for_all
from meta_eval.scores.names import SCORES, ScoreName
from meta_eval.scores.perseval import DEFAULT_ALPHA, DEFAULT_GAMMA, PenaltyOptions
from meta_eval.stats.coefficients.correlation import Correlation
from meta_eval.stats.rankings.ablation import ablate_beta, score_betas
from meta_eval.stats.rankings.aggregation import Ranking, aggregate_with_accuracy, find_paradox
from meta_eval.stats.rankings.pair_sampling import measure_pair_stability
from meta_eval.stats.rankings.stability import Stability, measure_stability


def stability(
    corpus_file: CorpusFile,
    measure: MeasureOption,
    score: ScoreOption = "perseval",
    samples: Annotated[int, typer.Option(min=1, help="Random samples of each share of the documents.")] = 10,
    replace_drawn: Annotated[
        bool, typer.Option("--replace", help="Draw documents with replacement, as PerSEval 7.2 has it.")
    ] = False,
    seed: SeedOption = 0,
    system: SystemOption = None,
    perse: PerseOption = None,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Sample 80, 60, 40 and 20 % of the documents: how much scores and rankings move (PerSEval Table 4).

    With --mode kdm pairs of readers are sampled, as the papers' authors' released code does. With --perse the
    judge's accuracy is sampled too, over the documents that it judged.
    """
    measures = parse_measures(measure, mode, preprocess, tokeniser)
    corpus, kept = read_corpus(corpus_file).in_order, open_store(store)
    if mode == "kdm" and replace_drawn:
        raise InputError("--mode kdm samples pairs of readers without replacement: leave out --replace")
    if mode == "kdm" and perse:
        raise InputError("--mode kdm samples pairs of readers, which a judge of summaries does not have")
    made = {
        "normalise": normalise,
        "sampled": "pairs" if mode == "kdm" else "documents",
        "replacement": replace_drawn,
    }
    if mode == "kdm":
        found = {
            one.id: measure_pair_stability(
                measure_distances(corpus, one, systems=system, normalise=normalise, store=kept),
                score,
                rng=np.random.default_rng(seed),
                samples=samples,
            )
            for one in measures
        }
    else:
        judged = read_judged(perse, corpus, taken=[one.id for one in measures])
        chosen = {name: _only(one, system).in_order for name, one in judged.items()}
        scored = {
            one.id: score_measure(corpus, one, systems=system, normalise=normalise, store=kept).contributions
            for one in measures
        }
        found = {
            name: measure_stability(
                one.matrix(score),
                systems=one.systems,
                rng=np.random.default_rng(seed),
                samples=samples,
                replace=replace_drawn,
            )
            for name, one in (scored | chosen).items()
        }
    records = [
        {**record, **made} for name, one in found.items() for record in _stability_records(name, score, one)
    ]
    write_text(render_records(records, form), out)


def _only(scores: Contributions, systems: Collection[str] | None) -> Contributions:
    """Of these systems alone, where any are named; `InputError` where one of them was not judged."""
    if not systems:
        return scores
    if unknown := sorted(set(systems) - set(scores.systems)):
        raise InputError(f"the judge saw no summaries of {', '.join(unknown)}")
    names = tuple(dict.fromkeys(systems))
    rows = [scores.systems.index(name) for name in names]
    return stand_for_all(names, scores.documents, scores.accuracy[rows])


def ablate(
    corpus_file: CorpusFile,
    ratings_file: RatingsFile,
    measure: MeasureOption,
    surrogate: SurrogatesOption,
    scale: ScaleOption,
    lowest: LowestOption = LOWEST,
    highest: HighestOption = HIGHEST,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    edp_readers: EdpReadersOption = None,
    alpha: AlphaOption = DEFAULT_ALPHA,
    gamma: GammaOption = DEFAULT_GAMMA,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Vary the penalty's beta from 1.0 to 2.0: how the agreement with people moves (PerSEval figure 3)."""
    require_order("ablate", corpus_file, ratings_file)
    measures, surrogates = (
        parse_measures(texts, mode, preprocess, tokeniser) for texts in (measure, surrogate)
    )
    kind = SCORES["perseval"]
    corpus, kept = read_corpus(corpus_file), open_store(store)
    table = read_rated_rows(ratings_file, corpus, Ends(lowest, highest))
    divergences = human_divergences(table, scale=scale)
    options = ScoreOptions(PenaltyOptions(alpha=alpha, gamma=gamma), edp_readers=edp_readers).of_mode(mode)
    people = {
        one.id: score_betas(
            score_humans(corpus, divergences, one, normalise=normalise, store=kept).table, options=options
        )
        for one in surrogates
    }
    machine = {
        one.id: score_betas(
            compute_distances(corpus, one, systems=divergences.systems, normalise=normalise, store=kept),
            options=replace(options, edp_readers="document"),
        )
        for one in measures
    }
    settings = {
        "normalise": normalise,
        "scale": scale,
        **table.ends.record,
        "edp_readers": options.edp_readers,
        "alpha": alpha,
        "gamma": gamma,
    }
    records = [
        {
            "surrogate": x,
            "measure": y,
            "scope": "corpus",
            "beta": point.beta,
            **_coefficient(point.correlation),
            "shared": shared_parts(kind.human, x, y, normalise=normalise),
            **settings,
        }
        for x, human_side in people.items()
        for y, automatic_side in machine.items()
        for point in ablate_beta(automatic_side, human_side)
    ]
    note_no_null(records, "ablate does not shuffle ratings; report does")
    write_text(render_records(records, form), out)


def aggregate(
    human_file: HumanFile,
    automatic_file: AutomaticFile,
    mode: ModeOption = "paper",
    judged: JudgedOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Rank by PerSEval and accuracy together (Borda-Kendall), against people (PerSEval Table 5).

    With --mode kdm accuracy ranks the wrong way round, as in the released code, which sorts a distance from
    the largest.
    """
    kind = SCORES["perseval"]
    people = read_records(human_file, "surrogate", kind.human)
    machine = read_records(automatic_file, "measure", kind.automatic, "accuracy")
    settings = shared_settings({HUMAN: people, AUTOMATIC: machine})
    everything = with_judged(machine, judged)
    accuracy = {
        name: Ranking(scores, mode == "paper")
        for name, scores in scores_by(everything, "measure", "accuracy").items()
    }
    records = [
        {
            "surrogate": surrogate,
            "measure": measure,
            "accuracy": found.measure,
            "accuracy_ranked": "from the best" if mode == "paper" else "from the worst",
            "ranking": side,
            **_coefficient(one),
            "shared": shared_in_aggregation(
                surrogate, measure, found.measure, normalise=settings.get("normalise", "document")
            )[side],
            **settings,
        }
        for surrogate, human_scores in scores_by(people, "surrogate", kind.human).items()
        for measure, metric in scores_by(machine, "measure", kind.automatic).items()
        for found in aggregate_with_accuracy(
            Ranking(metric, kind.higher_is_better),
            accuracy,
            Ranking(human_scores, kind.higher_is_better),
        )
        for side, correlations in (
            ("perseval", found.metric),
            ("accuracy", found.accuracy),
            ("both", found.combined),
        )
        for one in correlations
    ]
    note_no_null(records, NO_RATINGS)
    write_text(render_records(records, form), out)


def paradox(automatic_file: AutomaticFile, form: FormatOption = "json", out: OutOption = None) -> None:
    """Rank correlation of the rankings by DEGRESS and by PerSEval, per measure (PerSEval Table 3)."""
    machine = read_records(automatic_file, "measure", "degress", "perseval")
    found = find_paradox(scores_by(machine, "measure", "degress"), scores_by(machine, "measure", "perseval"))
    settings = shared_settings({AUTOMATIC: machine})
    records = [
        {"measure": one.measure, **_coefficient(c), **settings} for one in found for c in one.correlations
    ]
    write_text(render_records(records, form), out)


def _coefficient(found: Correlation) -> dict[str, Any]:
    return asdict(found)


def _stability_records(measure: str, score: ScoreName, found: Stability) -> list[dict[str, Any]]:
    """A record per sampled share and coefficient, and one per system; what a record has not is None."""
    head = {"measure": measure, "score": score, "delta": found.delta}
    epsilons = found.epsilons
    shares = [
        {
            **head,
            "about": "ranking",
            "system": None,
            **asdict(one),
            "epsilon_overall": epsilons[one.coefficient],
        }
        for one in found.shares
    ]
    systems = [{**head, "about": "system", **asdict(one)} for one in found.systems]
    return [*shares, *systems]
