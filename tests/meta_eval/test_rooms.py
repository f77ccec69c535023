"""The rooms below the statistics: each lists its public names, and each of its functions explains itself."""

from importlib import import_module
from inspect import isfunction

import pytest

ROOMS = ("corpus", "design", "ratings", "measures", "distances", "scores")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_lists_its_public_names(room):
    module = import_module(f"meta_eval.{room}")
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_public_function_says_what_it_takes_and_gives(room):
    module = import_module(f"meta_eval.{room}")
    functions = [getattr(module, name) for name in module.__all__ if isfunction(getattr(module, name))]
    assert functions
    unexplained = [
        function.__name__
        for function in functions
        if not {"Returns", "Parameters"} & set((function.__doc__ or "").split())
    ]
    assert unexplained == []
