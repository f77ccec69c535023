"""docs/notebook.ipynb runs from its first cell to the last, where nothing but the wheel is installed."""

import json
import os

import nbformat
import pytest
from nbclient import NotebookClient

from tests.end_to_end.installed import ROOT, environment

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def executed(wheel, tmp_path_factory) -> list[list[dict]]:
    """What each code cell of the notebook gives, in the kernel of an environment with the wheel."""
    book = nbformat.read(NOTEBOOK, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    python = environment(folder / "wheel", wheel, beside=("ipykernel",)) / "python"
    kernel = folder / "jupyter" / "kernels" / "wheel" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": argv, "display_name": "wheel", "language": "python"}), "utf-8")
    here = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JUPYTER_PATH", str(folder / "jupyter"))
        client = NotebookClient(
            book, timeout=300, kernel_name="wheel", resources={"metadata": {"path": folder}}
        )
        client.execute(env={**here, "HOME": str(folder), "OMP_NUM_THREADS": "1"})
    return [cell.outputs for cell in book.cells if cell.cell_type == "code"]


def test_nothing_is_said_on_stderr_and_the_bundle_is_sound(executed):
    streams = [output for outputs in executed for output in outputs if output.output_type == "stream"]
    assert {stream.name for stream in streams} == {"stdout"}
    assert streams[-1].text.startswith("True\nRaters judged 50 pairs of texts on 10 documents")


def test_scores_are_shown_as_tables_and_the_answer_as_a_figure(executed):
    shown = [set(output.get("data", ())) for outputs in executed for output in outputs]
    tables = [
        output["data"]["text/html"]
        for outputs in executed
        for output in outputs
        if "text/html" in output.get("data", ())
    ]
    assert [table.count("<caption>") for table in tables] == [0, 1, 1, 0, 0]
    assert sum("image/png" in kinds for kinds in shown) == 1


def test_the_notebook_is_kept_without_what_it_gave():
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in code] == [([], None)] * len(code)
