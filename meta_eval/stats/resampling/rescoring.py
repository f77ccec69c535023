"""Human scores under other raters: ratings are averaged again and scored again for every draw.

DEGRESS is no mean of ratings, so a resample of raters cannot be a weighting of scores. All draws are scored
at once, as if each were a corpus of its own, by the code that scores the survey itself.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.distances.computing import DistanceBlock, DistanceTable
from meta_eval.errors import InputError
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from meta_eval.scores.egises import egises_of
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import HUMAN_SCORES
from meta_eval.scores.perseval import accuracy_spread
from meta_eval.stats.resampling.patterns import find_patterns
from meta_eval.stats.resampling.raters import RaterPanel
from meta_eval.stats.resampling.weights import mean_scores

_CELLS = 1_000_000
"""How many distances are scored at a time: bounds memory, changes no result."""


@dataclass(frozen=True, slots=True)
class _PanelBlock:
    """B documents with n rated readers: which pair of the panel fills each cell, and the surrogate's share.

    `documents` (B,); `gold_items` (B, n, n) and `system_items` (S, B, n, n), -1 for no pair; the distances
    `gold_document` (B, n), `systems_document` and `systems_gold` (S, B, n) as in `DistanceBlock`, and
    `spread` (S, B, 2) of all readers of the document, whoever was rated.
    """

    documents: IntArray
    gold_items: IntArray
    system_items: IntArray
    gold_document: FloatArray | None
    systems_document: FloatArray | None
    systems_gold: FloatArray
    spread: FloatArray

    def under(self, sigma: FloatArray, documents: int) -> DistanceBlock:
        """The block of R draws, one after the other: sigma (R, pairs + 1), of which the last is missing."""
        draws, (systems, size, n) = len(sigma), self.system_items.shape[:3]
        gold = sigma[:, self.gold_items].reshape(draws * size, n, n)  # (R, B, n, n) -> (R B, n, n)
        rated = sigma[:, self.system_items].swapaxes(0, 1)  # (R, S, B, n, n) -> (S, R, B, n, n)
        rated = rated.reshape(systems, draws * size, n, n)
        starts = np.arange(draws)[:, None] * documents
        return DistanceBlock(
            documents=(starts + self.documents).ravel(),
            gold=gold,
            gold_document=None if self.gold_document is None else _tile(self.gold_document, draws),
            systems=rated,
            systems_document=None if self.systems_document is None else _tile(self.systems_document, draws),
            systems_gold=_tile(self.systems_gold, draws),
            spread=_tile(self.spread, draws),
        )


def _tile(values: FloatArray, draws: int) -> FloatArray:
    """(..., B, n) to (..., R B, n)."""
    return np.concatenate([values] * draws, axis=-2)


class PanelScorer:
    """Scores a panel's ratings with one surrogate under any weights of raters.

    `corpus` is the one whose distances `surrogates` holds; documents of which the panel has no pair are left
    out. `documents` and `systems` name the axes of what it returns.
    """

    @classmethod
    def of_scores(cls, scores: HumanScores, panel: RaterPanel, corpus: Corpus) -> Self:
        """Scores as `scores` does, whose ratings `panel` holds."""
        return cls(panel, corpus=corpus, surrogates=scores.surrogate, options=scores.options)

    def __init__(
        self,
        panel: RaterPanel,
        *,
        corpus: Corpus,
        surrogates: DistanceTable,
        options: ScoreOptions | None = None,
    ) -> None:
        self.panel, self.options = panel, options or ScoreOptions()
        self.systems = surrogates.systems
        self._table = surrogates
        self.documents, self._blocks = _lay_out(panel, corpus, surrogates)
        if not self._blocks:
            raise InputError("the surrogate's distances hold no document that was rated")
        self._groups, self._columns = _group_units(panel, self.documents)

    def score(self, sigma: FloatArray) -> dict[str, FloatArray]:
        """HUMAN_SCORES under R sets of divergences (R, pairs): (R, S, P) contributions of P documents."""
        parts = [self._score_some(part) for part in self._chunks(sigma)]
        return {name: np.concatenate([part[name] for part in parts]) for name in HUMAN_SCORES}

    def system_scores(self, sigma: FloatArray) -> dict[str, FloatArray]:
        """HUMAN_SCORES of the systems under R sets of divergences: (R, S)."""
        parts = [self._score_some(part) for part in self._chunks(sigma)]
        return {name: np.concatenate([mean_scores(part[name]) for part in parts]) for name in HUMAN_SCORES}

    def score_by_unit(self, weights: FloatArray, *, stretch: bool = False) -> dict[str, FloatArray]:
        """`score` under weights of raters within questionnaires (R, units), whole numbers."""
        patterns = find_patterns(weights, self._groups)
        found = self.score(self.panel.by_unit(patterns.weights, stretch=stretch))
        at = patterns.at[:, None, self._columns]
        return {name: np.take_along_axis(values, at, axis=0) for name, values in found.items()}

    def system_scores_by_unit(self, weights: FloatArray, *, stretch: bool = False) -> dict[str, FloatArray]:
        """`system_scores` under weights of raters within questionnaires (R, units), whole numbers.

        A document is scored once for each different draw of its raters.
        """
        patterns = find_patterns(weights, self._groups)
        at, start = patterns.at[:, self._columns], 0
        totals, counts = (np.zeros((len(at), len(HUMAN_SCORES) * len(self.systems))) for _ in range(2))
        for sigma in self._chunks(self.panel.by_unit(patterns.weights, stretch=stretch)):
            parts = self._score_some(sigma)
            values = np.concatenate([parts[name] for name in HUMAN_SCORES], axis=1)  # (K, 3 S, P)
            _add_drawn(totals, counts, values, at - start)
            start += len(sigma)
        means = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
        return dict(zip(HUMAN_SCORES, np.split(means, len(HUMAN_SCORES), axis=1), strict=True))

    def _chunks(self, sigma: FloatArray) -> Iterator[FloatArray]:
        size = max(1, _CELLS // max(1, sum(block.system_items.size for block in self._blocks)))
        for start in range(0, len(sigma), size):
            yield sigma[start : start + size]

    def _score_some(self, sigma: FloatArray) -> dict[str, FloatArray]:
        draws, count = len(sigma), len(self.documents)
        padded = np.concatenate([sigma, np.full((draws, 1), np.nan)], axis=1)
        table = replace(
            self._table,
            documents=self.documents * draws,
            blocks=tuple(block.under(padded, count) for block in self._blocks),
        )
        scores = score_contributions(table, self.options)
        shape = (len(self.systems), draws, count)
        degress = scores.degress.reshape(shape).swapaxes(0, 1)
        perseval = scores.perseval.reshape(shape).swapaxes(0, 1)
        return dict(zip(HUMAN_SCORES, (degress, egises_of(degress), perseval), strict=True))


def _add_drawn(totals: FloatArray, counts: FloatArray, values: FloatArray, at: IntArray) -> None:
    """Add to totals and counts (R, M) the values (K, M, P) that draws have, which are of rows `at` (R, P).

    Rows outside of K are passed over.
    """
    rows, width, documents = values.shape
    drawn = (at >= 0) & (at < rows)
    columns = (at * documents + np.arange(documents))[drawn]
    starts = np.concatenate([[0], np.cumsum(drawn.sum(axis=1))])
    chosen = scipy.sparse.csr_array(
        (np.ones(len(columns)), columns, starts), shape=(len(at), rows * documents)
    )
    flat = values.swapaxes(1, 2).reshape(rows * documents, width)
    present = np.isfinite(flat)
    totals += chosen @ np.where(present, flat, 0.0)
    counts += chosen @ present.astype(np.float64)


def _group_units(panel: RaterPanel, documents: Sequence[str]) -> tuple[IntArray, IntArray]:
    """(units,): the number of each unit's document, and (P,): the numbers of `documents`."""
    numbers: dict[str, int] = {}
    of_pair = np.array([numbers.setdefault(pair.doc_id, len(numbers)) for pair in panel.pairs])
    groups = np.zeros(len(panel.strata), dtype=np.int64)
    groups[panel.units] = of_pair[panel.items]
    return groups, np.array([numbers[name] for name in documents])


def _lay_out(
    panel: RaterPanel, corpus: Corpus, surrogates: DistanceTable
) -> tuple[tuple[str, ...], list[_PanelBlock]]:
    """Blocks of documents with equally many rated readers; of others the `spread` alone is left."""
    layout = _Layout(panel, corpus, surrogates)
    for block in surrogates.blocks:
        for row, index in enumerate(block.documents.tolist()):
            layout.add(block, row, surrogates.documents[index])
    return tuple(layout.documents), layout.blocks()


class _Layout:
    def __init__(self, panel: RaterPanel, corpus: Corpus, surrogates: DistanceTable) -> None:
        self._readers = {document.id: list(document.references) for document in corpus.documents}
        self._systems = {GOLD: 0, **{name: row for row, name in enumerate(surrogates.systems, start=1)}}
        self._pairs: dict[str, list[tuple[int, str, str, str]]] = defaultdict(list)
        for item, pair in enumerate(panel.pairs):
            self._pairs[pair.doc_id].append((item, pair.system, pair.reader_a, pair.reader_b))
        self._groups: dict[int, list[_PanelBlock]] = defaultdict(list)
        self.documents: list[str] = []

    def add(self, block: DistanceBlock, row: int, doc_id: str) -> None:
        pairs = [pair for pair in self._pairs.get(doc_id, []) if pair[1] in self._systems]
        if not pairs:
            return
        names = self._readers[doc_id]
        rated = sorted({names.index(reader) for pair in pairs for reader in pair[2:]})
        index_of = {names[index]: at for at, index in enumerate(rated)}
        items = np.full((len(self._systems), len(rated), len(rated)), -1)
        for item, system, a, b in pairs:
            at = self._systems[system]
            items[at, index_of[a], index_of[b]] = items[at, index_of[b], index_of[a]] = item
        gold, systems = block.gold_document, block.systems_document
        self._groups[len(rated)].append(
            _PanelBlock(
                documents=np.array([len(self.documents)]),
                gold_items=items[:1],
                system_items=items[1:, None],
                gold_document=None if gold is None else gold[[row]][:, rated],
                systems_document=None if systems is None else systems[:, [row]][..., rated],
                systems_gold=block.systems_gold[:, [row]][..., rated],
                spread=accuracy_spread(block.systems_gold[:, [row]]),
            )
        )
        self.documents.append(doc_id)

    def blocks(self) -> list[_PanelBlock]:
        return [_join(group) for group in self._groups.values()]


def _join(blocks: Sequence[_PanelBlock]) -> _PanelBlock:
    gold = [block.gold_document for block in blocks if block.gold_document is not None]
    systems = [block.systems_document for block in blocks if block.systems_document is not None]
    return _PanelBlock(
        documents=np.concatenate([block.documents for block in blocks]),
        gold_items=np.concatenate([block.gold_items for block in blocks]),
        system_items=np.concatenate([block.system_items for block in blocks], axis=1),
        gold_document=np.concatenate(gold) if gold else None,
        systems_document=np.concatenate(systems, axis=1) if systems else None,
        systems_gold=np.concatenate([block.systems_gold for block in blocks], axis=1),
        spread=np.concatenate([block.spread for block in blocks], axis=1),
    )
