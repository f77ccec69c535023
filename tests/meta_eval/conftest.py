import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of research data, which is never part of the project."""
    folder = Path(os.environ.get("CONCORD_SHARED", REPOSITORY.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"the research data is not at {folder}; set CONCORD_SHARED to its place")
    return folder
