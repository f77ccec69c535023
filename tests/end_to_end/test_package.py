"""The library as people install it: its wheel among nothing but what the wheel declares."""

import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from meta_eval import make_measure
from tests.end_to_end.installed import ROOT, environment


@pytest.fixture(scope="module")
def bare(tmp_path_factory, wheel) -> Path:
    return environment(tmp_path_factory.mktemp("bare"), wheel)


def run(commands: Path, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run what is installed there away from the checkout, with caches of its own."""
    variables = {
        "PATH": f"{commands}:/usr/bin:/bin",
        "HOME": str(folder),
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def first_score() -> str:
    """The README's commands for the first score."""
    [block] = re.findall(
        r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    return block


def test_the_wheel_holds_the_library_and_little_that_is_not_code(wheel):
    with ZipFile(wheel) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    tops = {name.split("/")[0] for name in sizes}
    assert tops == {"meta_eval", "concord_meta_eval-0.1.0.dist-info"}
    assert "meta_eval/py.typed" in sizes
    data = {name: size for name, size in sizes.items() if name.startswith("meta_eval/data/")}
    assert {"meta_eval/data/wordnet-3.0.txt.gz", "meta_eval/data/wordnet-3.0-licence.txt"} <= set(data)
    assert sum(data.values()) < 1_000_000


def test_the_readme_alone_gives_the_first_score(bare, tmp_path):
    done = run(bare, ["sh", "-ec", first_score()], tmp_path)
    assert done.stderr == "1 document, 2 readers, 2 references, 2 systems: 6 texts taken, 0 not written\n"
    header, *lines = done.stdout.splitlines()
    at = header.split(",").index("perseval")
    assert [(line.split(",")[0], round(float(line.split(",")[at]), 3)) for line in lines] == [
        ("Copycat", 0.999),
        ("Fixed", 0.0),
    ]


@pytest.mark.parametrize("measure", ["bertscore", "moverscore"])
def test_what_brings_torch_is_named_in_one_line_where_it_is_missing(bare, tmp_path, measure):
    command = ["meta-eval", "score", str(ROOT / "fixtures/demo/corpus.jsonl"), "-m", measure]
    done = run(bare, command, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines(keepends=True)[-1] == (
        "Error: The neural measures (bertscore, infolm, sbert, moverscore, bartscore) and language models "
        "that run here need torch, transformers, safetensors: run "
        "`pip install torch transformers safetensors`, or `make setup-neural` in the folder of the site.\n"
    )
    assert "Traceback" not in done.stderr


def test_the_extra_brings_what_neural_measures_need(wheel, tmp_path):
    commands = environment(tmp_path / "full", wheel, "neural")
    done = run(commands, ["python", "-c", "import meta_eval.kernels.models"], tmp_path)
    assert (done.stderr, done.stdout) == ("", "")


def test_wordnet_comes_with_the_library(bare, tmp_path):
    code = "from meta_eval import make_measure; print(make_measure('meteor')('a car', 'an automobile'))"
    done = run(bare, ["python", "-c", code], tmp_path)
    assert (done.stderr, done.stdout) == ("", f"{make_measure('meteor')('a car', 'an automobile')}\n")


def test_set_up_installs_the_library_so_that_it_runs_from_any_folder(tmp_path):
    done = run(Path(sys.executable).parent, ["python", "-m", "meta_eval", "--version"], tmp_path)
    assert (done.stdout, done.stderr) == ("0.1.0\n", "")
