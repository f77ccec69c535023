"""Work that measures share: done once within a block, up to a limit, and nothing is kept after it."""

import pytest

from meta_eval.measures import shared_work
from meta_eval.measures.shared_work import once, sharing_work


@pytest.fixture
def make():
    """Makes a list of so many numbers, and remembers how often it was asked."""
    made = []

    def ask(key, numbers=1):
        return once(key, lambda: made.append(key) or [0] * numbers, size=len)

    ask.made = made
    return ask


def test_what_measures_share_is_made_once_within_a_block(make):
    with sharing_work():
        first = make("a")
        with sharing_work():
            assert make("a") is first
        assert make("a") is first
    assert make("a") is not first
    assert make.made == ["a", "a"]


def test_beyond_the_limit_it_is_made_anew(make, monkeypatch):
    monkeypatch.setattr(shared_work, "MOST_NUMBERS", 5)
    with sharing_work():
        for _ in range(2):
            make("a", 3)
            make("b", 3)
            make("c", 2)
    assert make.made == ["a", "b", "c", "b"]
