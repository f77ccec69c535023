"""The benchmarks of the site, small: that they run, and what must hold in them whatever the time."""

import os
import re

import pytest

from tests.benchmarks.side_by_side import BEHIND_PROXY
from tests.end_to_end.commands import ROOT, benchmark, environment
from tests.postgres import postgres_url

FEW = ("--raters", "6", "--rounds", "1")
POTATO = "CONCORD_POTATO"


@pytest.fixture(scope="module")
def postgres():
    with postgres_url() as url:
        yield url


def test_everybody_is_answered_beside_potato(tmp_path, left_out):
    """Without Potato, which is no part of the project, the site alone."""
    program = os.environ.get(POTATO)
    beside = ("--potato", program) if program else ()
    if not program:
        left_out(f"Potato was not measured beside the site: {POTATO} does not name its program.")
    said = benchmark("side_by_side", *FEW, "--seconds", "3", *beside, environment=environment(tmp_path))
    assert re.findall(r"Concord, 6 raters: .* unanswered (\S+), faults (\S+),", said) == [("0.0", "0.0")]
    assert ("Potato, 6 raters" in said) == bool(program)


@pytest.mark.postgres
def test_everybody_who_comes_at_one_moment_starts_behind_a_proxy(tmp_path, postgres, left_out):
    own = environment(tmp_path, DATABASE_URL=postgres)
    said = benchmark("side_by_side", *FEW, "--starts", "--behind-proxy", environment=own)
    assert re.findall(r"Concord, 6 raters: .* unanswered (\S+), faults (\S+),", said) == [("0.0", "0.0")]
    if "PostgreSQL's processor s" not in said:
        left_out("The processor's time of PostgreSQL was not measured: it runs on another machine.")


def test_behind_a_proxy_the_benchmark_limits_the_server_as_the_service_does():
    assert (ROOT / "docs/systemd/concord-web.service").read_text().count(BEHIND_PROXY) == 1


@pytest.mark.postgres
def test_everybody_who_starts_at_once_gets_a_questionnaire(tmp_path, postgres):
    own = environment(tmp_path, DATABASE_URL=postgres)
    said = benchmark("starts", "--people", "12", "--batches", "20,60", environment=own)
    assert re.findall(r"(\d+) got a questionnaire", said) == ["12", "12"]
    medians = [int(median) for median in re.findall(r"statements (\d+)", said)]
    # About 14 where nobody wants the same place, two more for each further look: a busy machine brings people
    # together, in a batch of any size. Starts that went through the candidates one by one took 35.
    assert max(medians) <= 24, said


def test_every_page_of_staff_is_read(tmp_path):
    few = ("--questionnaires", "20", "--raters", "12")
    said = benchmark("staff_pages", *few, environment=environment(tmp_path))  # which asks for no error
    assert len(re.findall(r"^\S.*? +\S+ s +\d+ statements", said, flags=re.MULTILINE)) > 25


@pytest.mark.postgres
def test_two_workers_compute_the_bits_of_one(tmp_path, postgres):
    own = environment(tmp_path, DATABASE_URL=postgres)
    small = ("--documents", "80", "--pairs", "400", "--repeat", "1")
    said = benchmark("shards", *small, environment=own)  # which compares the bits
    [alone, both] = re.findall(r"parts of each: (.*)", said)
    shares = [int(parts) for parts in both.split(", ")]
    assert (len(shares), min(shares) > 0, sum(shares)) == (2, True, int(alone))
