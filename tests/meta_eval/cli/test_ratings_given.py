"""Files of ratings as commands take them: after the corpus, on any scale."""

import pytest

from tests.meta_eval.cli.running import results, run


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("human", ("--surrogate", "jsd", "--scale", "similarity")),
        ("ablate", ("-m", "jsd", "--surrogate", "jsd", "--scale", "similarity")),
        ("report", ("-m", "jsd", "--surrogate", "jsd", "--scale", "similarity", "--json")),
        ("export-responses", ("--out", "new.sqlite")),
        ("judge stand-in", ("models.csv", "--scale", "similarity")),
    ],
)
def test_the_old_order_says_which_is_which_and_the_right_call(command, options, corpus_file, ratings_file):
    done = run(*command.split(), ratings_file, corpus_file, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"Error: {ratings_file} holds ratings, and {corpus_file} the corpus, which comes first: "
        f"python -m meta_eval {command} {corpus_file} {ratings_file} ...\n"
    )


def test_ratings_on_another_scale_give_the_same_scores_and_name_it(corpus_file, ratings_file, tmp_path):
    header, *rows = ratings_file.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    moved = tmp_path / "moved.csv"
    moved.write_text("\n".join([header, *(",".join([*row[:-1], str(int(row[-1]) + 3)]) for row in cells)]))
    asked = ("--surrogate", "jsd", "--scale", "similarity")
    found = results("human", corpus_file, moved, *asked, "--lowest", 4, "--highest", 9)
    assert {(one.pop("lowest"), one.pop("highest")) for one in found} == {(4, 9)}
    assert found == results("human", corpus_file, ratings_file, *asked)
    refused = run("human", corpus_file, moved, *asked, "--lowest", 4, "--highest", 8)
    wanted = "is not a whole number from 4 to 8; if the scale has other ends, say so with lowest and highest"
    assert wanted in refused.stderr
    turned = run("human", corpus_file, moved, *asked, "--lowest", 4, "--highest", 4)
    assert turned.stderr.endswith(
        "Error: the highest rating, 4, must lie above the lowest, 4, by at most 1,000\n"
    )


def test_an_end_of_the_scale_that_never_occurs_is_noted(corpus_file, ratings_file):
    asked = ("human", corpus_file, ratings_file, "-m", "jsd", "--scale", "similarity")
    taken = "the scale is taken to go from 0 to 7; if it ends elsewhere, say so with"
    said = run(*asked, "--lowest", 0, "--highest", 7).stderr.splitlines()
    assert [line for line in said if "nobody" in line] == [
        f"note: {ratings_file}: nobody gave 0: {taken} --lowest",
        f"note: {ratings_file}: nobody gave 7: {taken} --highest",
    ]
    given = {int(line[-1]) for line in ratings_file.read_text().splitlines()[1:]}
    ends = run(*asked, "--lowest", min(given), "--highest", max(given))
    assert "nobody" not in ends.stderr
