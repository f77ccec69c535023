"""Distances and contributions per document, as Parquet files below the data folder, never half written."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from django.conf import settings

from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.scores.contributions import SCORE_ARRAYS, Contributions
from meta_eval.scores.shard_scores import KeptScores
from survey_site.common.errors import NotFoundError

FOLDER = "contributions"


def distance_store() -> DistanceStore:
    """Where distances are kept between runs, so that a killed worker loses no finished shard.

    A local folder unless the setting names a URL: only what computes or joins needs to reach it.
    """
    return DistanceStore(settings.CONCORD_DISTANCES_URL or str(Path(settings.CONCORD_DATA_DIR) / "distances"))


def kept_scores(run_key: str) -> KeptScores:
    """Scores of the parts of a run, beside the distances, until the run is done."""
    return KeptScores(distance_store(), run_key)


def contributions_path(name: str) -> Path:
    return Path(settings.CONCORD_DATA_DIR) / name


def has_contributions(name: str) -> bool:
    """Whether the file is there with every score: one that an earlier release wrote without the penalty is
    as good as none, so its run is computed again."""
    path = contributions_path(name)
    return bool(name) and path.is_file() and set(SCORE_ARRAYS) <= set(pq.read_schema(path).names)


def save_contributions(contributions: Contributions, *, key: str) -> str:
    """Write one row per system and document; returns the file's name below the data folder.

    The file appears under its name only when it is complete, so a killed process leaves none or all of it.
    """
    name = f"{FOLDER}/{key[:2]}/{key}.parquet"
    path = contributions_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            pq.write_table(_as_table(contributions), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return name


def load_contributions(name: str) -> Contributions:
    """The contributions as they were saved. Raises NotFoundError where the file is gone or lacks a score."""
    if not has_contributions(name):
        raise NotFoundError(
            f"The contributions per document ({name or 'no file'}) are not in the data folder.",
            action="Compute the scores again: a run without its file is computed anew.",
        )
    return _from_table(pq.read_table(contributions_path(name)))


def _as_table(contributions: Contributions) -> pa.Table:
    """Long form, system after system, documents in their order; a missing score is null."""
    systems, documents = len(contributions.systems), len(contributions.documents)
    columns = {
        "system": _repeated(contributions.systems, np.repeat(np.arange(systems), documents)),
        "document": _repeated(contributions.documents, np.tile(np.arange(documents), systems)),
        **{
            name: pa.array(getattr(contributions, name).ravel(), type=pa.float64(), from_pandas=True)
            for name in SCORE_ARRAYS
        },
        "pairs": pa.array(contributions.pairs.ravel(), type=pa.int64()),
    }
    return pa.table(columns)


def _repeated(names: tuple[str, ...], indices: np.ndarray) -> pa.DictionaryArray:
    values = pa.array(names, type=pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(indices, type=pa.int32()), values)


def _from_table(table: pa.Table) -> Contributions:
    systems = tuple(dict.fromkeys(table["system"].to_pylist()))
    documents = tuple(dict.fromkeys(table["document"].to_pylist()))
    shape = (len(systems), len(documents))
    scores = {
        name: table[name].to_numpy(zero_copy_only=False).astype(np.float64).reshape(shape)
        for name in SCORE_ARRAYS
    }
    return Contributions(systems, documents, **scores, pairs=table["pairs"].to_numpy().reshape(shape))
