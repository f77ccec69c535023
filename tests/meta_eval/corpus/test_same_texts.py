"""Who wrote the same texts: one name for each text, whatever white space and gaps."""

import pytest

from meta_eval.corpus.same_texts import group_authors

TEXTS = {1: "rain in the north", 2: "sun", 3: "fog", 4: "snow"}


@pytest.mark.parametrize(
    ("others", "found"),
    [
        ({"b": TEXTS}, [("a", "b")]),
        ({"b": TEXTS, "c": TEXTS}, [("a", "b", "c")]),
        ({"b": {**TEXTS, 1: " rain in  the north\n"}}, [("a", "b")]),
        ({"b": {**TEXTS, 1: "Rain in the north"}}, []),
        ({"b": {**TEXTS, 4: "hail"}}, []),
        ({"b": {at: TEXTS[at] for at in (1, 2)}}, [("a", "b")]),
        ({"b": {1: TEXTS[1]}}, []),
        ({"b": {}, "c": {}}, []),
        ({"b": {**TEXTS, 5: "more"}, "c": {**TEXTS, 5: "less"}}, [("a", "b")]),
        ({"b": {1: "one"}, "c": {1: "one"}}, [("b", "c")]),
    ],
)
def test_authors_of_the_same_texts_are_a_group(others, found):
    assert group_authors({"a": TEXTS, **others}) == found
    backwards = dict(reversed({"a": TEXTS, **others}.items()))
    assert group_authors(backwards) == found
