"""The sample files of PENS, packed as a program sends them."""

import io
import zipfile
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "static" / "samples"
FILES = ("personalized_test.tsv", "news.tsv", "hyps_lead.txt", "hyps_tailored.txt")


def pens_archive(*, without: str = "") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in FILES:
            if name != without:
                archive.writestr(f"pens/{name}", (SAMPLES / name).read_bytes())
    return stream.getvalue()
