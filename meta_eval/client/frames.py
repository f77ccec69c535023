"""Data frames that are sent, and those that come back."""

from collections.abc import Iterable
from dataclasses import asdict
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame


def frame_csv(frame: "DataFrame") -> bytes:
    """A frame as the site reads tables; a missing text is an empty cell."""
    text: str = frame.to_csv(index=False)
    return text.encode("utf-8")


def parquet_frame(content: bytes) -> "DataFrame":
    """A table with its types: whole numbers and truth values stay so where some are missing."""
    import pandas
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds: dict[Any, Any] = {
        pa.int8(): pandas.Int8Dtype(),
        pa.int32(): pandas.Int32Dtype(),
        pa.bool_(): pandas.BooleanDtype(),
        pa.string(): pandas.StringDtype(na_value=float("nan")),
    }
    frame: DataFrame = pq.read_table(BytesIO(content)).to_pandas(types_mapper=kinds.get)
    return frame


def csv_frame(content: bytes) -> "DataFrame":
    """A table of a report: only an empty cell is missing, so that a system may be called NA."""
    import pandas

    return pandas.read_csv(BytesIO(content), keep_default_na=False, na_values=[""])


def to_frame(records: Iterable[Any]) -> "DataFrame":
    """A row a record, a column a field.

    Parameters
    ----------
    records : dataclasses of one kind

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> from meta_eval.client.records import Check
    >>> to_frame([Check(title="Systems", level="fine", message="Ten.")]).values.tolist()
    [['Systems', 'fine', 'Ten.']]
    """
    import pandas

    return pandas.DataFrame([asdict(one) for one in records])
