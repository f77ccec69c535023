from pathlib import Path

import pytest

from tests.end_to_end.installed import build_wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    """The wheel of the library as it stands here."""
    return build_wheel(tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist"))
