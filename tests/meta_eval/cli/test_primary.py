"""The primary coefficient as the command line names it: one family of tests, or a refusal."""

import pytest

from meta_eval.cli.primary import read_primary
from meta_eval.errors import InputError
from meta_eval.report.primary import Primary


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        (("kendall", None, ["jsd", "rouge-l"]), "name one of jsd, rouge-l with --primary-surrogate"),
        (("kendall", "bleu", ["jsd"]), "bleu is not among the report's surrogates: jsd"),
        ((None, "jsd", ["jsd"]), "goes with --primary COEFFICIENT"),
    ],
)
def test_more_than_one_family_of_tests_or_none_is_refused(asked, fault):
    coefficient, surrogate, surrogates = asked
    with pytest.raises(InputError, match=fault):
        read_primary(coefficient, surrogate, "degress", surrogates)


def test_the_only_surrogate_need_not_be_named():
    assert read_primary("kendall", None, "perseval", ["bleu:n=4"]) == Primary(
        coefficient="kendall", surrogate="bleu", score="perseval"
    )
    assert read_primary(None, None, "degress", ["jsd", "bleu"]) is None
