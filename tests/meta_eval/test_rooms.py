"""Every folder that others import from lists its public names, and its functions explain themselves."""

import pkgutil
import re
from importlib import import_module
from inspect import getdoc, getsource, isclass, isfunction, signature
from pathlib import Path

import pytest

import meta_eval

LEAVES = ("bench", "cli")
"""Folders that nothing imports from: they are programs, whose public face are their commands."""

LIBRARY = Path(meta_eval.__file__).parent
ROOMS = sorted(
    ".".join(file.parent.relative_to(LIBRARY.parent).parts)
    for file in LIBRARY.glob("*/**/__init__.py")
    if file.relative_to(LIBRARY).parts[0] not in LEAVES
)
NEED_A_MODEL = {"choose_config", "mean_log_likelihoods"}
"""Functions over the weights of a model, of which an example would be longer than what it shows."""

WITHOUT_SOURCE = {
    "align_contributions", "align_sides", "align_systems", "build_panel", "check_coefficients",
    "check_resampled", "constant_rows", "count_ratings", "fixed_score", "mean_scores", "means_by_pair",
    "members_of", "name_families", "over_common", "parse_families", "place_in_families", "snap_ties",
    "table_axes", "wider_interval",
}  # fmt: skip
"""Functions of the statistics that check, count or lay out, so that no paper or book is their source."""

HEADING = re.compile(r"^(\w+)\n-+$", re.MULTILINE)


def enter(room):
    """The folder as a module; the kernels need torch, which a study without neural measures does without."""
    if room == "meta_eval.kernels":
        pytest.importorskip("torch")
    return import_module(room)


def functions_of(room):
    module = enter(room)
    return [value for name in module.__all__ if isfunction(value := getattr(module, name))]


def sections(function):
    """The text under each heading of a function's docstring."""
    _, *parts = HEADING.split(getdoc(function) or "")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def faults(function):
    """What a function's docstring lacks of what scipy's have."""
    written = sections(function)
    taken = [name for name in signature(function).parameters if name not in ("self", "cls")]
    described = re.split(r"\W+", written.get("Parameters", ""))
    yield from (f"parameter {name}" for name in taken if name not in described)
    if signature(function).return_annotation not in (None, "None") and not {"Returns", "Yields"} & {*written}:
        yield "what it returns"
    if re.search(r"^    +raise ", getsource(function), re.MULTILINE) and "Raises" not in written:
        yield "what it raises"
    if (">>> " in written.get("Examples", "")) is (function.__name__ in NEED_A_MODEL):
        yield "an example"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_lists_its_public_names(room):
    module = enter(room)
    assert module.__all__
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_that_a_room_lists_is_one_thing(room):
    module = enter(room)
    own = {name.rpartition(".")[2] for _, name, _ in pkgutil.iter_modules(module.__path__, f"{room}.")}
    taken = [name for name in module.__all__ if name in own]
    assert taken in ([], list(module.__all__))


@pytest.mark.parametrize("room", ROOMS)
def test_a_public_function_says_what_it_takes_and_gives(room):
    unexplained = {
        f"{function.__module__}.{function.__name__}": lacking
        for function in functions_of(room)
        if (lacking := list(faults(function)))
    }
    assert unexplained == {}


def test_a_statistic_names_its_source():
    functions = [one for room in ROOMS if room.startswith("meta_eval.stats") for one in functions_of(room)]
    assert len(functions) > 100
    assert {one.__name__ for one in functions if "References" not in sections(one)} == WITHOUT_SOURCE


@pytest.mark.parametrize("room", ROOMS)
def test_a_public_class_says_what_it_is(room):
    module = enter(room)
    named = {name: getattr(module, name) for name in module.__all__}
    classes = {name: one for name, one in named.items() if isclass(one) and one.__module__.startswith(room)}
    assert [
        name for name, one in classes.items() if not one.__doc__ or one.__doc__.startswith(f"{name}(")
    ] == []
