"""The file of a backup: a compressed archive whose manifest names each file with its hash."""

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FORMAT = 1
MANIFEST = "manifest.json"


class BackupError(Exception):
    """A backup that cannot be made, read or restored; the message says why and what to do."""


@dataclass(frozen=True)
class Manifest:
    """What a backup holds.

    `rows` counts the rows of each table, `key_fingerprint` tells one secret key from another without telling
    the key, and `files` has the SHA-256 hash of each file of the archive by its name.
    """

    made_at: str
    version: str
    engine: str
    migrations: list[str]
    rows: dict[str, int]
    key_fingerprint: str
    files: dict[str, str]
    format: int = FORMAT

    @property
    def total_rows(self) -> int:
        return sum(self.rows.values())


def write_archive(target: Path, files: Mapping[str, Path], **facts: Any) -> Manifest:
    """Pack the files under their names. `target` appears whole or not at all, for its owner alone."""
    manifest = Manifest(files={name: _digest(path) for name, path in files.items()}, **facts)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            _pack(file, manifest, files)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return manifest


def _pack(file: Any, manifest: Manifest, files: Mapping[str, Path]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        tarfile.open(fileobj=file, mode="w:gz", compresslevel=6, dereference=True) as tar,
    ):
        listed = Path(folder) / MANIFEST
        listed.write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")
        for name, path in ({MANIFEST: listed} | dict(files)).items():
            tar.add(path, arcname=name, recursive=False)


def open_archive(source: Path, folder: Path) -> Manifest:
    """Unpack into `folder` and compare every file with its hash.

    Raises BackupError for what is no backup, was damaged, or holds a file that its manifest does not name.
    """
    try:
        with tarfile.open(source, mode="r:gz") as tar:
            _unpack(tar, folder)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise BackupError(f"{source}: cannot be read as a backup: {error}") from error
    manifest = _read_manifest(source, folder)
    _check_files(source, folder, manifest)
    return manifest


def _unpack(tar: tarfile.TarFile, folder: Path) -> None:
    """Write each file under its name, which must lie within the folder.

    By hand, because `filter` of `extractall` came with Python 3.11.4, and Debian 12 has 3.11.2.
    """
    inside = folder.resolve()
    for member in tar:
        target = (inside / member.name).resolve()
        content = tar.extractfile(member) if member.isreg() else None
        if content is None or not target.is_relative_to(inside):
            raise tarfile.ReadError(f"{member.name} is no file of a backup")
        target.parent.mkdir(parents=True, exist_ok=True)
        with content, target.open("xb") as file:
            shutil.copyfileobj(content, file)
        target.chmod(member.mode & 0o755 | 0o600)
        os.utime(target, (member.mtime, member.mtime))


def _read_manifest(source: Path, folder: Path) -> Manifest:
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise BackupError(f"{source}: holds no manifest of a backup.") from error
    if manifest.format != FORMAT:
        said = f"{source}: its format is {manifest.format}, this version reads {FORMAT}."
        raise BackupError(f"{said} Restore it with the version of Concord that made it, {manifest.version}.")
    return manifest


def _check_files(source: Path, folder: Path, manifest: Manifest) -> None:
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {MANIFEST}
    if odd := sorted(found ^ set(manifest.files)):
        raise BackupError(f"{source}: its manifest and its files differ: {', '.join(odd[:3])}.")
    for name, digest in manifest.files.items():
        if _digest(folder / name) != digest:
            raise BackupError(
                f"{source}: {name} is damaged: it is not what its hash says. Take another backup."
            )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
