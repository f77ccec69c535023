"""Files that come with the package, in its folder `data`."""

import csv
from importlib.resources import files
from importlib.resources.abc import Traversable


def data_file(name: str) -> Traversable:
    """The file of this name, whether it is there or not."""
    return files("meta_eval").joinpath("data", name)


def read_data_table(name: str) -> list[dict[str, str]]:
    """The rows of a table in CSV by its columns.

    Examples
    --------
    >>> read_data_table("heds-languages.csv")[0]["code"]
    'ab'
    """
    return list(csv.DictReader(data_file(name).read_text(encoding="utf-8").splitlines()))
