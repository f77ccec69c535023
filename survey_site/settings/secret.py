"""What an installation has on its disk: a data folder and, on one machine, a private secret key made once."""

import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE_NAME = "secret-key"


def read_local_secret_key(data_dir: Path) -> str:
    """The kept key, or an empty string, which Django refuses the moment a key is needed."""
    path = data_dir / FILE_NAME
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def prepare_installation(values: Mapping[str, Any]) -> None:
    """Make the data folder, and on one machine the secret key, if they are missing.

    One machine means the database is SQLite. Elsewhere processes on several machines must share a key, so it
    has to be set.
    """
    values["CONCORD_DATA_DIR"].mkdir(parents=True, exist_ok=True)
    if not values["SECRET_KEY"] and (values["DATABASE_URL"] or "sqlite").startswith("sqlite"):
        _write_once(values["CONCORD_DATA_DIR"] / FILE_NAME)


def _write_once(path: Path) -> None:
    """Write a whole file or none: of two processes that start at once, both use the key of the first."""
    if path.exists():
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent)  # mkstemp creates with mode 600
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(64) + "\n")
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)
