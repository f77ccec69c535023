"""What a store holds, and keeping it small."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from meta_eval.distances.store.files import TEMPORARY, StoreFiles
from meta_eval.distances.store.signature_parts import DAMAGED, MANIFEST, PARTS, USED

IN_USE = timedelta(hours=1)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredSignature:
    """What a store holds under one signature; `text` is its canonical line, empty if that is lost."""

    digest: str
    text: str
    parts: int
    bytes: int
    damaged: int
    last_used: datetime | None


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What a store holds: part files and their bytes, in all and by signature."""

    url: str
    signatures: tuple[StoredSignature, ...]

    @property
    def parts(self) -> int:
        return sum(signature.parts for signature in self.signatures)

    @property
    def bytes(self) -> int:
        return sum(signature.bytes for signature in self.signatures)


@dataclass(frozen=True, slots=True)
class CleanReport:
    """What cleaning removed and left, in part files and bytes; `in_use` parts were spared though too many."""

    removed: int
    freed_bytes: int
    kept: int
    kept_bytes: int
    in_use: int


@dataclass(frozen=True, slots=True)
class _Part:
    digest: str
    name: str
    size: int
    used: datetime


def store_info(url: str) -> StoreInfo:
    """What the store at `url` holds; an empty answer for a store that nobody has written to.

    Parameters
    ----------
    url : str
        A folder, or any address that fsspec knows.

    Returns
    -------
    StoreInfo

    Raises
    ------
    StoreError
        The store cannot be reached.

    Examples
    --------
    >>> store_info("memory://an-empty-store").signatures
    ()
    """
    files = StoreFiles(url)
    return StoreInfo(files.url, tuple(_stored_signature(files, digest) for digest in files.folders()))


def _stored_signature(files: StoreFiles, digest: str) -> StoredSignature:
    parts = list(_parts_of(files, digest))
    manifest = files.read(f"{digest}/{MANIFEST}")
    return StoredSignature(
        digest,
        text=json.loads(manifest)["text"] if manifest else "",
        parts=len(parts),
        bytes=sum(part.size for part in parts),
        damaged=len(files.sizes(f"{digest}/{DAMAGED}")),
        last_used=max((part.used for part in parts), default=None),
    )


def clean_store(
    url: str, *, max_bytes: int, now: datetime, keep_used_within: timedelta = IN_USE
) -> CleanReport:
    """Remove what was used least recently until the parts take at most `max_bytes`; damaged ones go always.

    Parts used within `keep_used_within` before `now` (aware) stay, even if the store is then still too large:
    a running computation may need them to resume. One that loses a part all the same computes it again.

    Parameters
    ----------
    url : str
        A folder, or any address that fsspec knows.
    max_bytes : int
        What the parts may take.
    now : datetime
        Aware, of the time zone of UTC.
    keep_used_within : timedelta
        Parts used within it before `now` stay.

    Returns
    -------
    CleanReport
        How many parts and bytes went and stayed.

    Raises
    ------
    StoreError
        The store cannot be reached or changed.

    Examples
    --------
    >>> from datetime import UTC
    >>> clean_store("memory://an-empty-store", max_bytes=0, now=datetime(2026, 1, 1, tzinfo=UTC)).removed
    0
    """
    files = StoreFiles(url)
    digests = files.folders()
    for digest in digests:
        _remove_refuse(files, digest, now - keep_used_within)
    parts = sorted(
        (part for digest in digests for part in _parts_of(files, digest)), key=lambda part: part.used
    )
    excess = sum(part.size for part in parts) - max_bytes
    removed, spared = [], 0
    for part in parts:
        if excess <= 0:
            break
        if part.used > now - keep_used_within:
            spared += 1
            continue
        files.remove(f"{part.digest}/{PARTS}/{part.name}")
        files.remove(f"{part.digest}/{USED}/{part.name}")
        removed.append(part)
        excess -= part.size
    freed, total = sum(part.size for part in removed), sum(part.size for part in parts)
    return CleanReport(len(removed), freed, len(parts) - len(removed), total - freed, spared)


def forget_texts(url: str, *, known: Collection[bytes]) -> int:
    """Remove every part that holds a text whose hash is not `known`.

    For whoever deletes texts for good: a distance and two hashes tell whether somebody's guess of a text is
    right. A part is removed whole, so distances of known texts beside it are computed again when asked for.
    Damaged parts go too, since nobody can say what they hold, and kept replies of language models, which hold
    texts in plain letters.

    Parameters
    ----------
    url : str
        A folder, or any address that fsspec knows.
    known : collection of bytes
        `hash_text` of all texts that stay.

    Returns
    -------
    int
        How many parts went.

    Raises
    ------
    StoreError
        The store cannot be reached or changed.

    Examples
    --------
    >>> forget_texts("memory://an-empty-store", known=set())
    0
    """
    import pyarrow as pa

    from meta_eval.distances.store.parts import HASH, holds_others

    files = StoreFiles(url)
    staying = pa.array(sorted(known), HASH)
    removed = 0
    for digest in files.folders():
        for name in list(files.sizes(f"{digest}/{PARTS}")):
            data = files.read(f"{digest}/{PARTS}/{name}")
            if data is not None and holds_others(data, staying):
                files.remove(f"{digest}/{PARTS}/{name}")
                files.remove(f"{digest}/{USED}/{name}")
                removed += 1
        for name in files.sizes(f"{digest}/{DAMAGED}"):
            files.remove(f"{digest}/{DAMAGED}/{name}")
            removed += 1
    return removed


def _parts_of(files: StoreFiles, digest: str) -> Iterator[_Part]:
    from meta_eval.distances.store.parts import parse_name

    for name, size in files.sizes(f"{digest}/{PARTS}").items():
        if parse_name(name):
            yield _Part(digest, name, size, _last_used(files, digest, name))


def _last_used(files: StoreFiles, digest: str, name: str) -> datetime:
    """The time in the part's mark; where a writer was killed before it marked it, when it was written."""
    mark = files.read(f"{digest}/{USED}/{name}")
    try:
        return datetime.fromisoformat((mark or b"").decode())
    except ValueError:
        return files.modified(f"{digest}/{PARTS}/{name}") or _NEVER


def _remove_refuse(files: StoreFiles, digest: str, before: datetime) -> None:
    """Damaged parts, and what writers left that were killed before `before`."""
    for name in files.sizes(f"{digest}/{DAMAGED}"):
        files.remove(f"{digest}/{DAMAGED}/{name}")
    for folder in ("", f"/{PARTS}", f"/{USED}"):
        for name in files.sizes(f"{digest}{folder}"):
            path = f"{digest}{folder}/{name}"
            if name.startswith(TEMPORARY) and (files.modified(path) or before) < before:
                files.remove(path)
