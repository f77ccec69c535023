"""A site of Concord from Python: corpora, batches, ratings, scores and reports, with pandas in and out.

Nothing is loaded before it is used. It needs httpx2 (`pip install httpx2`).

Examples
--------
>>> from meta_eval.client import Concord
>>> concord = Concord("https://concord.example.org", token="concord_...")
>>> concord
Concord('https://concord.example.org')

From a corpus to a launched batch, and from its ratings to a report (docs/client.ipynb runs all of it)::

    corpus = concord.corpora.import_corpus("corpus.jsonl", name="News", language="en")
    batch = concord.batches.create(corpus, "Pilot", preset="perseval")
    batch = batch.launch(confirmed=True)
    ...
    ratings = batch.ratings()
    report = concord.reports.create(batch, measures=["rouge-l"], surrogates=["rouge-l"]).wait()
    report.table("leaderboard")
    report.save("report")
"""

from meta_eval.client.batches import Batch, BatchRow
from meta_eval.client.concord import Concord
from meta_eval.client.corpora import Corpus, CorpusRow
from meta_eval.client.frames import to_frame
from meta_eval.client.problems import (
    ChangedError,
    ClientError,
    ConflictError,
    InvalidError,
    JobFailedError,
    NotAllowedError,
    NotFoundError,
    ProblemError,
    StillRunningError,
    TokenError,
    UnreachableError,
)
from meta_eval.client.reports import Report, ReportRow
from meta_eval.client.runs import ScoreRun, ScoreRunRow

__all__ = [
    "Batch",
    "BatchRow",
    "ChangedError",
    "ClientError",
    "Concord",
    "ConflictError",
    "Corpus",
    "CorpusRow",
    "InvalidError",
    "JobFailedError",
    "NotAllowedError",
    "NotFoundError",
    "ProblemError",
    "Report",
    "ReportRow",
    "ScoreRun",
    "ScoreRunRow",
    "StillRunningError",
    "TokenError",
    "UnreachableError",
    "to_frame",
]
