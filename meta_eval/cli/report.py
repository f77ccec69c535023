"""The command that makes a whole report of a corpus and ratings, as the web site does."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from meta_eval.cli.inputs import open_store, parse_pairs, read_corpus, read_rated_rows, require_order
from meta_eval.cli.judged_runs import PerseOption, read_perse
from meta_eval.cli.options import (
    SHOWN,
    AdjustOption,
    AlphaOption,
    BetaOption,
    CorpusFile,
    EdpReadersOption,
    FamilyOption,
    GammaOption,
    HighestOption,
    LowestOption,
    MeasureOption,
    MinRatersOption,
    MixedOption,
    ModeOption,
    NormaliseOption,
    OneCoefficient,
    PAccAlphaOption,
    PAccBetaOption,
    PreprocessOption,
    RatersOption,
    RatingsFile,
    ScaleOption,
    SeedOption,
    StabilityReplaceOption,
    StoreOption,
    SurrogatesOption,
    TokeniserOption,
    choices,
    folder_place,
    plain,
)
from meta_eval.cli.primary import read_primary
from meta_eval.errors import InputError
from meta_eval.publish.forms import Form
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends
from meta_eval.report.options import (
    REPORT_RESAMPLES,
    RESAMPLES,
    InferenceOptions,
    ReportOptions,
    choose_measures,
    given_books,
)
from meta_eval.report.primary import PrimaryScore
from meta_eval.report.published.reading import KINDS
from meta_eval.scores.penalties import P_ACC
from meta_eval.scores.perseval import DEFAULT_ALPHA, DEFAULT_BETA, DEFAULT_GAMMA
from meta_eval.stats.coefficients.families import parse_families
from meta_eval.stats.raters.alternative import EPSILON
from meta_eval.stats.table.resampled import Resampled

if TYPE_CHECKING:
    OneForm = Form
else:
    OneForm = choices(Form)


def report(
    corpus_file: CorpusFile,
    ratings_file: RatingsFile,
    measure: MeasureOption,
    surrogate: SurrogatesOption,
    scale: ScaleOption,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="Folder for the report's files.", callback=folder_place
        ),
    ] = None,
    form: Annotated[
        list[OneForm] | None,
        typer.Option("--format", "-f", help="Only this form of the report. May be repeated. [default: all]"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the report as JSON to standard output.")
    ] = False,
    lowest: LowestOption = LOWEST,
    highest: HighestOption = HIGHEST,
    min_raters: MinRatersOption = None,
    raters: RatersOption = None,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    alpha: AlphaOption = DEFAULT_ALPHA,
    beta: BetaOption = DEFAULT_BETA,
    gamma: GammaOption = DEFAULT_GAMMA,
    p_acc_alpha: PAccAlphaOption = P_ACC.alpha,
    p_acc_beta: PAccBetaOption = P_ACC.beta,
    edp_readers: EdpReadersOption = None,
    resamples: Annotated[
        int, typer.Option(min=RESAMPLES[0], max=RESAMPLES[1], help="Resamples of each interval.")
    ] = REPORT_RESAMPLES,
    resampled: Annotated[
        str,
        typer.Option(help=f"What is drawn again and again: {' or '.join(get_args(Resampled))}."),
    ] = "documents",
    seed: SeedOption = 0,
    adjust: AdjustOption = "holm",
    coefficient: Annotated[
        list[OneCoefficient] | None,
        typer.Option(help="One more coefficient in every table. May be repeated."),
    ] = None,
    primary: Annotated[
        OneCoefficient | None,
        typer.Option(
            help="The report's primary coefficient: p is adjusted over its measures alone, by max-T, and the "
            "answer goes by it."
        ),
    ] = None,
    primary_surrogate: Annotated[
        str | None,
        typer.Option(metavar="M", help="The surrogate of the primary coefficient. [default: the only one]"),
    ] = None,
    primary_score: Annotated[
        PrimaryScore, typer.Option(help="The score of the primary coefficient.")
    ] = "degress",
    family: FamilyOption = None,
    stability_replace: StabilityReplaceOption = False,
    name: Annotated[
        str | None, typer.Option(help="What the report calls the study. [default: the name of the ratings]")
    ] = None,
    question: Annotated[str, typer.Option(help="What the raters were asked, for the methods.")] = "",
    published: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=FILE",
            help=f"Published table (CSV) to show beside ours: {', '.join(KINDS)}. May be repeated.",
        ),
    ] = None,
    same_system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OURS=THEIRS", help="What published tables call a system of ours. May be repeated."
        ),
    ] = None,
    hashes: Annotated[
        bool, typer.Option("--hashes", help="The bundle holds hashes in place of the texts.")
    ] = False,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help=f"What figures show: {', '.join(SHOWN)}. May be repeated. "
            "[default: degress, the best measure, the surrogate that was declared or else the first]",
        ),
    ] = None,
    model_ratings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Set language models beside people: the answers.jsonl or ratings.csv of `judge pairs`. They "
            "enter no score.",
        ),
    ] = None,
    epsilon: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Beside --model-ratings: what a rater's cost is worth: 0.1 crowd, 0.15 skilled, 0.2 expert.",
        ),
    ] = EPSILON,
    mixed: MixedOption = False,
    perse: PerseOption = None,
    store: StoreOption = None,
) -> None:
    """Make the whole report of a corpus and ratings: scores, correlations, how sure they are, and files.

    Ends with exit status 1 if a part could not be computed; the rest is written all the same.
    """
    from meta_eval.cli.reporting import (
        in_words,
        leave,
        read_generated,
        read_models,
        read_shown,
        read_tables,
        report_bar,
        write_file,
    )
    from meta_eval.distances.store.memory import MemoryStore
    from meta_eval.publish.files import files_in_folder
    from meta_eval.publish.long_form import report_json
    from meta_eval.publish.making import MadeReport
    from meta_eval.ratings.survey import rows_of_ratings, survey_of_ratings
    from meta_eval.report.building import build_report

    require_order("report", corpus_file, ratings_file)
    if out is None and not as_json:
        raise InputError("say where the report goes: --out FOLDER, or --json for standard output")
    options = ReportOptions(
        measures=choose_measures(measure),
        surrogates=choose_measures(surrogate),
        min_raters=min_raters,
        normalise=normalise,
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        p_acc_alpha=p_acc_alpha,
        p_acc_beta=p_acc_beta,
        mode=mode,
        preprocess=preprocess,
        tokeniser=tokeniser,
        edp_readers=edp_readers,
    )
    for _, spec in options.parts:
        options.measure(spec)  # a bad option of a measure is refused before the work
    shown = read_shown(show or [], options)
    tables = read_tables(published or [])
    declared = read_primary(primary, primary_surrogate, primary_score, options.surrogates)
    corpus = read_corpus(corpus_file)
    inference = InferenceOptions(
        seed=seed,
        resamples=resamples,
        resampled=cast(Resampled, resampled),
        adjustment=adjust,
        coefficients=plain(coefficient or []),
        families=parse_families(family or [], corpus.systems),
        primary=declared,
        stability_replacement=stability_replace,
    )
    rated = read_rated_rows(ratings_file, corpus, Ends(lowest, highest))
    survey = survey_of_ratings(
        rows_of_ratings(rated.ratings, rated.rows),
        scale=scale,
        systems=corpus.systems,
        raters=raters,
        question=question,
        ends=rated.ends,
    )
    beside = read_models(model_ratings, corpus, rated.ends, epsilon, mixed)
    judge = read_perse(perse, corpus)
    kept = open_store(store) or MemoryStore()
    with report_bar() as progress:
        made = build_report(
            corpus,
            survey,
            options,
            inference=inference,
            names={"batch": name or ratings_file.stem, "corpus": corpus_file.stem},
            published=tables,
            same_systems=parse_pairs(same_system or [], "--same-system", "OURS=THEIRS"),
            progress=progress,
            store=kept,
            judge=judge.judging if judge else None,
            generated=read_generated(corpus_file, corpus),
            **beside,
        )
    written: list[Path] = []
    if out is not None:
        tables_of_models = beside.get("models", ())
        whole = MadeReport(made, corpus, survey, given_books(made.options), tables_of_models, judge, kept)
        content = whole.content(shown, share_texts=not hashes)
        files = files_in_folder(content, plain(form) if form else get_args(Form))
        written = [write_file(out / file, data) for file, data in files]
    sys.stdout.write(report_json(made) if as_json else in_words(made, written))
    leave(made)
