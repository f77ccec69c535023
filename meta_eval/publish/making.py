"""The whole report in one call, from a corpus and ratings; and what it is written and sealed with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.tables import as_corpus
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.distances.store.memory import MemoryStore
from meta_eval.files.frames import Brief, to_frame
from meta_eval.files.writing import write_bytes
from meta_eval.measures.given import DistanceBook
from meta_eval.publish.bundle import BundleContent
from meta_eval.publish.bundle.sealing import seal_distances
from meta_eval.publish.files import Content, files_in_folder
from meta_eval.publish.forms import Form
from meta_eval.publish.heds import Entry, fill_datasheet
from meta_eval.publish.tables import report_tables
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.rating import Scale
from meta_eval.ratings.survey import Survey, rows_of_ratings, survey_of_ratings
from meta_eval.ratings.table import RatingTable, as_ratings
from meta_eval.report.building import build_report
from meta_eval.report.options import InferenceOptions, ReportOptions, choose_measures, given_books
from meta_eval.report.schema import Report
from meta_eval.report.view import choose_view

if TYPE_CHECKING:
    from pandas import DataFrame

    from meta_eval.files.reading import Source
    from meta_eval.report.inference.stand_in import StandInOptions
    from meta_eval.studies.perse.runs import PerseRun


@dataclass(frozen=True, slots=True, repr=False)
class MadeReport(Brief):
    """A report and what it was made of.

    `report` holds the numbers, `corpus` and `survey` their data, `given` the distances from outside that they
    rest on, which are asked for while these are there, `models` what language models rated beside people,
    `judge` what a model judged in readers' places, `store` where distances were kept, so that a bundle holds
    those of language models.
    """

    report: Report
    corpus: Corpus
    survey: Survey
    given: Sequence[DistanceBook]
    models: Sequence[ModelTable] = ()
    judge: "PerseRun | None" = None
    store: DistanceStore | None = None

    def brief(self) -> tuple[str, str]:
        return self.report.brief()

    @property
    def answer(self) -> str:
        """The first thing that the report says, in a sentence or two."""
        return self.report.answer.sentence

    def tables(self) -> "dict[str, DataFrame]":
        """Every table that has rows as a data frame by its name; docs/exports.md explains all columns."""
        return {table.name: to_frame(table.rows) for table in report_tables(self.report)}

    def write(self, folder: str | Path, forms: Sequence[Form] = get_args(Form)) -> list[Path]:
        """Write the report's files into a folder, which is made where it is not there.

        Parameters
        ----------
        folder : path
        forms : sequence of str, optional
            Of "json", "csv", "xlsx", "latex", "methods", "datasheet", "figures", "pdf", "papers", "bundle";
            default: all.

        Returns
        -------
        list of Path
            The files that were written.

        Raises
        ------
        InputError
            Where a file cannot be written.
        """
        written = []
        for name, data in files_in_folder(self.content(), forms):
            written.append(Path(folder, name))
            write_bytes(data, written[-1])
        return written

    def content(self, shown: Mapping[str, str] | None = None, *, share_texts: bool = True) -> Content:
        """What the files are made of. `shown` says what figures show; the bundle may hold hashes of texts."""
        return Content(
            report=self.report,
            view=choose_view(self.report, shown or {}),
            datasheet=self._datasheet,
            bundle=self._bundle,
            share_texts=share_texts,
        )

    def _datasheet(self) -> list[Entry]:
        languages = sorted({document.language for document in self.corpus.documents})
        return fill_datasheet(
            self.report, plan=self.survey.plan, study=self.survey.study, languages=languages
        )

    def _bundle(self) -> BundleContent:
        survey = self.survey
        taken = {(row["questionnaire"], row["rater"]): row.get("submitted_at") for row in survey.rows}
        return BundleContent(
            report=self.report,
            corpus=self.corpus,
            ratings=survey.rows,
            questionnaires=[
                {
                    "questionnaire": questionnaire,
                    "rater": rater,
                    "state": "submitted",
                    "claimed_at": None,
                    "submitted_at": submitted_at,
                }
                for (questionnaire, rater), submitted_at in taken.items()
            ],
            plan=survey.plan,
            study=survey.study,
            given=self.given,
            sealed=seal_distances(self.report, self.corpus, self.store),
            models=self.models,
            judge=self.judge,
        )

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def make_report(
    corpus: "Corpus | Source | DataFrame",
    ratings: "RatingTable | Source | DataFrame",
    *,
    measures: Sequence[str],
    surrogates: Sequence[str],
    scale: Scale,
    raters: int | None = None,
    question: str = "",
    name: str = "",
    corpus_name: str = "",
    inference: InferenceOptions | None = None,
    models: Sequence[ModelTable] = (),
    stand_in: "StandInOptions | None" = None,
    judge: "PerseRun | None" = None,
    generated: Sequence[Mapping[str, Any]] = (),
    **options: Any,
) -> MadeReport:
    """Make the whole report of a corpus and ratings: scores, correlations, how sure they are, and files.

    Parameters
    ----------
    corpus : Corpus
        From `read_corpus`, or what it takes: a path or a data frame.
    ratings : RatingTable
        From `read_ratings`, or what it takes.
    measures : sequence of str
        The automatic measures, perhaps with options: "rouge-l", "bleu:n=4".
    surrogates : sequence of str
        The measures that human scores take the distances from that nobody rates.
    scale : {"similarity", "dissimilarity"}
        What a high rating means. Never guessed: it turns every result around.
    raters : int, optional
        The full number of ratings a pair; default: the most that any system's pair has.
    question : str, optional
        What raters were asked, for the methods.
    name, corpus_name : str, optional
        What the report calls the study and its corpus.
    inference : InferenceOptions, optional
        Seed, resamples, what is resampled, families, primary coefficient.
    models : sequence of ModelTable, optional
        What language models said of the same pairs, from `read_model_tables`. They enter no score: a part of
        the report sets them beside people.
    stand_in : StandInOptions, optional
        Of the alternative annotator test of these models. Not `expert` or `named`: a report keeps no rater's
        name.
    judge : PerseRun, optional
        What a model said of single summaries in readers' places, PerSE as a measure: from `read_run` of
        `meta_eval.studies.perse.runs`.
    generated : sequence of mapping, optional
        How systems were generated by a language model: from `read_provenance` of
        `meta_eval.studies.icopernicus.provenance`. Methods, datasheet and bundle tell it.
    **options
        Further fields of `ReportOptions`: `min_raters`, `normalise`, `mode`, `beta` and others.

    Returns
    -------
    MadeReport

    Raises
    ------
    InputError
        For a measure that does not exist, for ratings of which no pair counts, and for `expert` or `named` of
        `stand_in`.
    MetaEvalError
        If no score can be computed.
    TypeError
        For an argument of another kind; it names the parameter.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from meta_eval import read_corpus, read_ratings
    >>> written = {"user": ("rain", "sun"), "A": ("rain", "sun"), "B": ("rain", "rain"), "C": ("sun", "rain")}
    >>> texts = [("d", reader, system, text) for system, pair in written.items()
    ...          for reader, text in zip(("ann", "bob"), pair)]
    >>> columns = ["doc_id", "reader", "system", "text"]
    >>> corpus = read_corpus(DataFrame(texts, columns=columns).assign(doc_text="Rain, then sun."))
    >>> rows = [("d", system, "ann", "bob", "p", rating) for system, rating in zip(written, (2, 2, 6, 3))]
    >>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    >>> ratings = read_ratings(DataFrame(rows, columns=columns), corpus)
    >>> inference = InferenceOptions(resamples=40, shuffles=40, splits=10, simulations=10)
    >>> made = make_report(corpus, ratings, measures=["jsd"], surrogates=["rouge-l"], scale="similarity",
    ...                    inference=inference)
    >>> made.tables()["leaderboard"]["system"].unique().tolist()
    ['A', 'B', 'C']
    """
    corpus = as_corpus(corpus)
    ratings = as_ratings(ratings, corpus)
    chosen = ReportOptions(
        measures=choose_measures(measures), surrogates=choose_measures(surrogates), **options
    )
    for _, spec in chosen.parts:
        chosen.measure(spec)  # a bad option of a measure is refused before the work
    survey = survey_of_ratings(
        rows_of_ratings(ratings.ratings, ratings.rows),
        scale=scale,
        systems=corpus.systems,
        raters=raters,
        question=question,
        ends=ratings.ends,
    )
    store = MemoryStore()
    report = build_report(
        corpus,
        survey,
        chosen,
        store=store,
        inference=inference,
        names={"batch": name, "corpus": corpus_name},
        models=models,
        stand_in=stand_in,
        judge=judge.judging if judge else None,
        generated=generated,
    )
    return MadeReport(report, corpus, survey, given_books(report.options), models, judge, store)
