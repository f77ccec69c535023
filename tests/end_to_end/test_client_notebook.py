"""docs/client.ipynb against a running site: between its cells raters rate and a worker builds the report."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest
from django.core.management import call_command
from django.utils import timezone
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from survey_site.batches.models import Batch
from survey_site.reports.models import Report
from tests.factories.client import make_secret
from tests.factories.survey import make_assignment, make_rater, submit_all

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "client.ipynb"


@pytest.fixture
def sockets():
    """A folder with a short name, as sockets need, so that the kernel takes no ports."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.django_db(transaction=True)
def test_the_notebook_leads_from_a_corpus_to_a_report(live_server, tmp_path, sockets):
    book = nbformat.read(NOTEBOOK, as_version=4)
    kernel = AsyncKernelManager(
        kernel_name="python3", transport="ipc", connection_file=str(sockets / "kernel.json")
    )
    client = NotebookClient(
        book, km=kernel, timeout=300, startup_timeout=300, resources={"metadata": {"path": tmp_path}}
    )
    environment = {
        **os.environ,
        **{"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"},
        **{"CONCORD_ADDRESS": live_server.url, "CONCORD_TOKEN": make_secret()},
    }
    between = {"batch.launch(": rate, "concord.reports.create(": lambda: call_command("build_reports")}
    with client.setup_kernel(env=environment, cleanup_kc=True):
        for number, cell in enumerate(book.cells):
            client.execute_cell(cell, number)
            for words, act in between.items():
                if cell.cell_type == "code" and words in cell.source:
                    act()
    shown = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    said = [one.text for one in shown if one.output_type == "stream"]
    report = Report.objects.get()
    bundle = tmp_path / "report" / "bundle.zip"
    assert said[0] == "8 of 8 questionnaires, 32 ratings\n"
    assert said[1] == f"{report.read().answer.headline}\n"
    assert (said[2].endswith("files and report/bundle.zip\n"), bundle.stat().st_size > 0) == (True, True)
    assert (tmp_path / "report" / "tables" / "leaderboard.csv").is_file()
    assert {one.name for one in shown if one.output_type == "stream"} == {"stdout"}
    tables = [one["data"]["text/html"] for one in shown if "text/html" in one.get("data", ())]
    assert ("Systems" in tables[0], "rouge-l" in tables[-1]) == (True, True)


def rate():
    """Two people, each with all four questionnaires."""
    batch, now = Batch.objects.get(), timezone.now()
    for value in (2, 5):
        rater = make_rater(batch, now=now)
        for _ in range(4):
            submit_all(make_assignment(batch, rater=rater, now=now), value=value, now=now)


def test_the_notebook_is_kept_without_what_it_gave():
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in code] == [([], None)] * len(code)
