"""Human scores of the indirect method, with the accuracy distances that its form asks for."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceBlock, DistanceTable
from meta_eval.measures.base import Measure
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.human import HumanScores, score_humans
from meta_eval.studies.indirect.study import IndirectStudy

Accuracies = Mapping[tuple[str, str, str], float]


def score_annotators(study: IndirectStudy, surrogate: Measure, **asked: Any) -> HumanScores:
    """DEGRESS-HJ and PerSEval-HJ of a study, the rest of the arguments as for `score_humans`.

    In the paper's form the surrogate gives the distances to the document alone: accuracy distances are
    differences of ratings. A policy that an annotator did not rate has none.

    Parameters
    ----------
    study : IndirectStudy
        From `prepare_study`.
    surrogate : Measure
    **asked
        As for `score_humans`.

    Returns
    -------
    HumanScores

    References
    ----------
    PerSEval, section 8.1; protocol 9.

    Examples
    --------
    >>> from meta_eval.measures import make_measure
    >>> from meta_eval.studies.indirect import IndirectOptions, RatedDocument, prepare_study
    >>> ratings = {"ann": {"A": 7, "B": 4}, "bob": {"A": 7, "B": 2}}
    >>> texts = {"A": "Rain in the north.", "B": "Sun."}
    >>> study = prepare_study(
    ...     [RatedDocument("d", "", "Rain.", texts, ratings)], IndirectOptions(form="paper")
    ... )
    >>> score_annotators(study, make_measure("rouge-l")).contributions.degress.round(3).tolist()
    [[1.0], [0.0]]
    """
    found = score_humans(study.corpus, study.divergences, surrogate, **asked)
    if study.accuracy is None:
        return found
    table = _with_accuracies(found.table, study.corpus, study.accuracy)
    return replace(found, contributions=score_contributions(table, found.options), table=table)


def _with_accuracies(table: DistanceTable, corpus: Corpus, accuracies: Accuracies) -> DistanceTable:
    blocks = tuple(_replaced(block, table, corpus, accuracies) for block in table.blocks)
    return replace(table, blocks=blocks)


def _replaced(
    block: DistanceBlock, table: DistanceTable, corpus: Corpus, accuracies: Accuracies
) -> DistanceBlock:
    by_id = {document.id: document for document in corpus.documents}
    values = np.full(block.systems_gold.shape, np.nan)
    for column, index in enumerate(block.documents.tolist()):
        document = by_id[table.documents[index]]
        for row, policy in enumerate(table.systems):
            for place, annotator in enumerate(document.references):
                values[row, column, place] = accuracies.get((document.id, policy, annotator), np.nan)
    return replace(block, systems_gold=values)
