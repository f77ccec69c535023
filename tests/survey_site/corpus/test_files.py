"""Names of systems, from file names and from NAME=FILE."""

import pytest

from survey_site.common.errors import InvalidInputError
from survey_site.corpus.files import pair_systems, parse_system, system_name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("hyps_NAML.txt", "NAML"),
        ("runs/hyps_NRMS_2.txt", "NRMS_2"),
        ("outputs-T5.v2.txt", "T5.v2"),
        ("BigBird.txt", "BigBird"),
        ("hyps_.txt", "hyps_"),
    ],
)
def test_a_file_names_its_system(file, name):
    assert system_name(file) == name


@pytest.mark.parametrize(
    ("text", "pair"),
    [("A=x=y.txt", ("A", "x=y.txt")), (" A = b.txt ", ("A", "b.txt")), ("hyps_A.txt", ("A", "hyps_A.txt"))],
)
def test_name_and_file(text, pair):
    assert parse_system(text) == pair


@pytest.mark.parametrize("text", ["=b.txt", "A=", "="])
def test_what_is_no_system(text):
    with pytest.raises(InvalidInputError):
        parse_system(text)


def test_lines_name_files_wherever_they_stand_and_the_rest_name_themselves():
    assert pair_systems(["Two=b.txt"], ["hyps_A.txt", "b.txt"]) == {"A": "hyps_A.txt", "Two": "b.txt"}


@pytest.mark.parametrize(
    ("lines", "files", "message"),
    [
        (["A=missing.txt"], ["b.txt"], "No file 'missing.txt' was chosen; chosen are b.txt."),
        (
            ["A=a.txt", "A=b.txt"],
            ["a.txt", "b.txt"],
            "Two files are given for the system 'A': a.txt and b.txt.",
        ),
        ([], ["hyps_A.txt", "A.txt"], "Two files are given for the system 'A': hyps_A.txt and A.txt."),
        (["user=a.txt"], ["a.txt"], "A system cannot be called 'user': that name means the gold reference."),
        ([], ["hyps_user.txt"], "A system cannot be called 'user': that name means the gold reference."),
    ],
)
def test_pairs_that_do_not_fit(lines, files, message):
    with pytest.raises(InvalidInputError) as caught:
        pair_systems(lines, files)
    assert caught.value.message == message
