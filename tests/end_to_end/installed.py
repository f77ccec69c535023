"""The library as people install it: its wheel, and environments with nothing but what it declares."""

import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path
from zipfile import Path as ZipPath
from zipfile import ZipFile

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
SOURCES = ("LICENSE", "README.md", "pyproject.toml")


def build_wheel(source: Path, dist: Path) -> Path:
    """The wheel, built from the source archive as `make package` builds it; both folders are empty before."""
    for name in SOURCES:
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "meta_eval", source / "meta_eval", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(dist), str(source)]
    done = subprocess.run(command, cwd=dist, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in dist.iterdir()) == [
        "concord_meta_eval-0.1.0-py3-none-any.whl",
        "concord_meta_eval-0.1.0.tar.gz",
    ]
    return next(dist.glob("*.whl"))


def declared(wheel: Path) -> Distribution:
    with ZipFile(wheel) as archive:
        folder = next(name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name)
    return PathDistribution(ZipPath(wheel, f"{folder}/"))  # type: ignore[arg-type]  # a path of another kind


def required(
    lines: Iterable[str], extras: set[str], found: dict[str, Distribution]
) -> dict[str, Distribution]:
    """What these requirements bring, and what that brings in turn, as it is installed here."""
    for requirement in map(Requirement, lines):
        wanted = [
            requirement.marker is None or requirement.marker.evaluate({"extra": name}) for name in extras
        ]
        if any(wanted) and requirement.name.lower() not in found:
            there = found[requirement.name.lower()] = distribution(requirement.name)
            assert requirement.specifier.contains(there.version), requirement
            required(there.requires or (), {"", *requirement.extras}, found)
    return found


def environment(folder: Path, wheel: Path, *extras: str, beside: Iterable[str] = ()) -> Path:
    """An environment with the wheel, and links to what it declares; its folder of commands.

    `beside` it stand what somebody else installed there, such as the kernel of a notebook.
    """
    venv.create(folder, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    found = required(declared(wheel).requires or (), {"", *extras}, {})
    for dependency in required(beside, {""}, found).values():
        for top in {file.parts[0] for file in dependency.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(dependency.locate_file(top)))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder),
        "install",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True)
    return folder / "bin"
