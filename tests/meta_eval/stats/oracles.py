"""What google-research/mt-metrics-eval computes of random tables, read from the research data."""

import json
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=1)
def oracle_tables(folder):
    """Each table as its human and metric scores (S, I), and what was computed of them."""
    with (folder / "data" / "oracles" / "meta_metrics.json").open(encoding="utf-8") as file:
        tables = json.load(file)["tables"]
    return [(np.array(table["human"]), np.array(table["metric"]), table) for table in tables]
