"""What `report` refuses, and in which words."""

import pytest

from tests.meta_eval.cli.demo_survey import DEMO, ONE_OF_EACH, call, write_ratings


@pytest.fixture(scope="module")
def ratings_file(tmp_path_factory):
    return write_ratings(tmp_path_factory.mktemp("report"))


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ("score=rouge", "--show score=rouge: there are degress, perseval, egises"),
        ("surrogate=bleu", "--show surrogate=bleu: there are jsd"),
        ("colour=red", "--show knows score, measure, surrogate, not 'colour'"),
    ],
)
def test_a_view_that_the_report_will_not_have_is_refused(ratings_file, tmp_path, shown, message):
    status, _, err = call(DEMO, ratings_file, *ONE_OF_EACH, "--out", tmp_path, "--show", shown)
    assert (status, list(tmp_path.iterdir())) == (2, [])
    assert message in err


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("bleu:n=0", "Error: Option n of measure 'bleu' is 0; it must be from 1 to 100."),
        ("meteor:beta=nan", "Error: Option 'beta' of measure 'meteor' is nan; it must be a finite number."),
    ],
)
def test_a_bad_option_of_a_measure_is_refused_before_the_work(ratings_file, tmp_path, measure, message):
    status, out, err = call(DEMO, ratings_file, *ONE_OF_EACH, "-m", measure, "--out", tmp_path)
    assert (status, out, list(tmp_path.iterdir())) == (2, "", [])
    assert err == f"{message}\n"


def test_a_report_of_nothing_is_an_error(ratings_file):
    arguments = ("--measure", "infolm:model=/no/where", "--surrogate", "infolm:model=/no/where")
    status, out, err = call(
        DEMO, ratings_file, *arguments, "--scale", "similarity", "--json", "--resamples", "1000"
    )
    assert (status, out) == (2, "")
    assert "/no/where" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (ONE_OF_EACH, "say where the report goes: --out FOLDER, or --json"),
        ((*ONE_OF_EACH, "--json", "-m", "rouge"), "There is no measure rouge. There are: "),
        ((*ONE_OF_EACH, "--json", "-m", "jsd", "-m", "jsd:distance=true"), "jsd stands more than once"),
        ((*ONE_OF_EACH, "--json", "--resampled", "pages"), "what is resampled is "),
        ((*ONE_OF_EACH, "--json", "--family", "lead"), "a family is written NAME=SYSTEM,SYSTEM, not 'lead'"),
        ((*ONE_OF_EACH, "--json", "--min-raters", "3"), "min_raters must be from 1 to 2"),
    ],
    ids=["no place", "no such measure", "one measure twice", "resampled", "family", "raters"],
)
def test_what_cannot_be_asked_is_refused_in_words(ratings_file, arguments, message):
    status, out, err = call(DEMO, ratings_file, *arguments)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--published", "egises"), "--published takes KIND=FILE, not 'egises'"),
        (("--published", "egises=/no/file.csv"), "/no/file.csv: cannot be read"),
        (("--same-system", "A"), "--same-system takes OURS=THEIRS, not 'A'"),
        (("--same-system", "A=B"), "there is no system A here; there are "),
    ],
)
def test_slips_with_published_tables_are_said(ratings_file, arguments, message):
    status, _, err = call(DEMO, ratings_file, *ONE_OF_EACH, "--json", *arguments)
    assert status == 2
    assert message in err
