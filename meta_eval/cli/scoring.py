"""Commands that make scores and set them against each other."""

import sys
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal

import typer

from meta_eval.cli.inputs import (
    open_store,
    parse_measures,
    parse_named_files,
    read_corpus,
    read_rated_rows,
    read_rating_file,
    report_corpus,
    require_order,
)
from meta_eval.cli.options import (
    INCOMPLETE,
    AlphaOption,
    BetaOption,
    CorpusFile,
    EdpReadersOption,
    FormatOption,
    GammaOption,
    HighestOption,
    IncludeSelfOption,
    LowestOption,
    MeasureOption,
    MinRatersOption,
    ModeOption,
    NormaliseOption,
    OutOption,
    PAccAlphaOption,
    PAccBetaOption,
    PreprocessOption,
    RatersOption,
    RatingsFile,
    ScaleOption,
    SelfInSoftmaxOption,
    StoreOption,
    SurrogateOption,
    SystemOption,
    TokeniserOption,
    file_place,
    new_file_place,
    self_of,
)
from meta_eval.cli.records import with_signature_line
from meta_eval.cli.scores import score_all, score_surrogate
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.corpus.pens import PensReaders, read_pens, read_pens_readers
from meta_eval.corpus.readers import write_readers
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.measures import MeasureInfo, available_measures, make_measure, signature_line
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends
from meta_eval.ratings.responses import write_responses
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.penalties import P_ACC, AccuracyPenalty
from meta_eval.scores.perseval import (
    DEFAULT_ALPHA,
    DEFAULT_BETA,
    DEFAULT_GAMMA,
    PenaltyOptions,
)


def import_pens(
    test: Annotated[Path, typer.Option(metavar="FILE", help="personalized_test.tsv of PENS.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where to write the corpus (JSONL).", callback=file_place
        ),
    ],
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE", help="A system and its output, one line per reference. May be repeated."
        ),
    ] = None,
    news: Annotated[
        Path | None, typer.Option(metavar="FILE", help="news.tsv of PENS: titles and bodies.")
    ] = None,
    readers_out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write what readers read (JSONL), for `generate`; needs --news.",
            callback=file_place,
        ),
    ] = None,
    keep_case: Annotated[
        bool,
        typer.Option(
            "--keep-case", help="Do not lower-case the references (systems' outputs are lower-case)."
        ),
    ] = False,
) -> None:
    """Turn PENS files into consolidated JSONL."""
    if readers_out is not None and news is None:
        raise InputError(
            "--readers-out needs --news FILE: the titles of what was read stand in news.tsv alone"
        )
    systems = parse_named_files(system or [])
    corpus = read_pens(test=test, systems=systems, news=news, lower_case=not keep_case)
    readers = None if readers_out is None else read_pens_readers(test=test, news=news)
    stream = StringIO()
    write_jsonl(corpus, stream)
    write_text(stream.getvalue(), out)
    report_corpus(corpus)
    if readers is not None:
        _write_pens_readers(readers, readers_out)


def _write_pens_readers(found: PensReaders, place: Path | None) -> None:
    stream = StringIO()
    write_readers(found.readers.values(), stream)
    write_text(stream.getvalue(), place)
    sys.stderr.write(f"{len(found.readers)} readers with {found.clicks - found.untitled:,} titles\n")
    if found.untitled:
        left = (
            f"{found.untitled:,} of {found.clicks:,} clicks are on articles without a title in the news file"
        )
        sys.stderr.write(f"note: {left}; they are left out\n")


def score(
    corpus_file: CorpusFile,
    measure: MeasureOption,
    system: SystemOption = None,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    alpha: AlphaOption = DEFAULT_ALPHA,
    beta: BetaOption = DEFAULT_BETA,
    gamma: GammaOption = DEFAULT_GAMMA,
    p_acc_alpha: PAccAlphaOption = P_ACC.alpha,
    p_acc_beta: PAccBetaOption = P_ACC.beta,
    include_self: IncludeSelfOption = False,
    self_in_softmax: SelfInSoftmaxOption = False,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Score systems automatically: accuracy, DEGRESS, EGISES, PerSEval and P-Acc under each measure.

    Ends with exit status 1 if a measure does not see the texts; the rest is written all the same.
    """
    measures = parse_measures(measure, mode, preprocess, tokeniser)
    options = ScoreOptions(
        PenaltyOptions(alpha, beta, gamma),
        self_of(include_self, self_in_softmax),
        p_acc=AccuracyPenalty(p_acc_alpha, p_acc_beta),
    )
    corpus, kept = read_corpus(corpus_file), open_store(store)
    records, complete = score_all(
        corpus, measures, systems=system, normalise=normalise, options=options, store=kept
    )
    write_text(render_records([with_signature_line(record) for record in records], form), out)
    if not complete:
        raise typer.Exit(INCOMPLETE)


def human(
    corpus_file: CorpusFile,
    ratings_file: RatingsFile,
    surrogate: SurrogateOption,
    scale: ScaleOption,
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
    include_self: IncludeSelfOption = False,
    self_in_softmax: SelfInSoftmaxOption = False,
    edp_readers: EdpReadersOption = None,
    models: Annotated[
        Literal["only"] | None,
        typer.Option(help="only: score the ratings of models alone, of a file that holds people's, too."),
    ] = None,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Score systems from people's ratings: DEGRESS-HJ, EGISES-HJ and PerSEval-HJ by surrogate measure."""
    require_order("human", corpus_file, ratings_file)
    measures = parse_measures(surrogate, mode, preprocess, tokeniser)
    options = ScoreOptions(
        PenaltyOptions(alpha, beta, gamma),
        self_of(include_self, self_in_softmax),
        edp_readers,
    )
    corpus, kept = read_corpus(corpus_file), open_store(store)
    table = read_rated_rows(ratings_file, corpus, Ends(lowest, highest), models_only=models == "only")
    divergences = human_divergences(table, scale=scale, full=raters, min_raters=min_raters)
    records = [
        with_signature_line(record)
        for one in measures
        for record in score_surrogate(
            corpus, divergences, one, normalise=normalise, options=options, store=kept
        ).records()
    ]
    write_text(render_records(records, form), out)


def export_responses(
    corpus_file: CorpusFile,
    ratings_file: RatingsFile,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="The SQLite file to make.", callback=new_file_place),
    ],
    lowest: LowestOption = LOWEST,
    highest: HighestOption = HIGHEST,
) -> None:
    """Write ratings as the papers' own survey app kept them: table `response` in SQLite, without raters."""
    require_order("export-responses", corpus_file, ratings_file)
    ratings = read_rating_file(ratings_file, read_corpus(corpus_file), Ends(lowest, highest))
    write_responses(ratings, out)


def measures(form: FormatOption = "json", out: OutOption = None) -> None:
    """List the measures: options, range, symmetry, triangle inequality, cost, source, and signature."""
    records = [
        {
            "id": info.id,
            "title": info.title,
            "options": dict(info.options),
            "range": info.range,
            "symmetric": info.symmetric,
            "symmetry": info.symmetry,
            "identity": info.identity,
            "triangle": info.triangle,
            "cost": info.cost,
            "source": info.source,
            "signature_line": _line_of(info),
        }
        for info in available_measures()
    ]
    write_text(render_records(records, form), out)


def _line_of(info: MeasureInfo) -> str | None:
    """The signature of the measure as it is by default; None where that takes a model."""
    return None if "model" in info.options else signature_line(make_measure(info.id).signature)
