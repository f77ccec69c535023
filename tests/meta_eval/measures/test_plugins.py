"""One's own measure: a dozen lines become a measure, and what is wrong with them is said."""

import math
import os
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import CHRF

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure, measure_ids, parse_measure
from meta_eval.measures.added import adding
from meta_eval.measures.finding_plugins import load_plugin
from meta_eval.measures.plugins import FACTS

PAGE = Path(__file__).parents[3] / "docs" / "own-measures.md"
CHRF_PLUGIN = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)[0]
"""The example of the page that says how a plug-in is written."""


def write(folder: Path, body: str) -> Path:
    path = folder / "own.py"
    path.write_text(body, encoding="utf-8")
    return path


def one_class(method: str, head: str = 'name = "mine"') -> str:
    return f"class Mine:\n    {head}\n    def {method}\n"


NEVER = "distance(self, reference, candidate): return 0"


def test_a_dozen_lines_are_a_measure(tmp_path: Path) -> None:
    with adding([load_plugin(write(tmp_path, CHRF_PLUGIN))]):
        measure = parse_measure("my-chrf:word_order=2")
        own = 1 - CHRF(word_order=2).sentence_score("rain in the south", ["rain in the north"]).score / 100
        assert measure("rain in the south", "rain in the north") == own
        assert measure_ids()[-1] == "my-chrf"
        assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301 - our own bytes
    assert "my-chrf" not in measure_ids()


def test_the_first_text_is_the_candidate(tmp_path: Path) -> None:
    body = one_class('distance(self, reference, candidate): return {"a": 0.25, "b": 0.75}[candidate]')
    assert load_plugin(write(tmp_path, body))()("a", "b") == 0.25


def test_many_pairs_at_once_and_none_where_there_is_no_distance(tmp_path: Path) -> None:
    body = one_class("distances(self, references, candidates): return [0.5, None][:len(references)]")
    measure = load_plugin(write(tmp_path, body))()
    texts = measure.prepare(["a", "b", " "])
    found = measure.distances(texts, np.array([0, 1, 2, 2]), np.array([1, 0, 0, 2]))
    np.testing.assert_array_equal(
        found, [0.5, math.nan, 1.0, 0.0]
    )  # a blank text is settled, not asked about


def test_a_signature_holds_the_hash_of_the_source(tmp_path: Path) -> None:
    first = load_plugin(write(tmp_path, CHRF_PLUGIN))().signature
    assert first.as_dict()["versions"].keys() == {"sacrebleu"}
    again = load_plugin(write(tmp_path, CHRF_PLUGIN))().signature
    other = load_plugin(write(tmp_path, CHRF_PLUGIN + "# changed\n"))().signature
    assert first.digest == again.digest
    assert first.digest != other.digest


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("distance(self, reference, candidate): return 1 / 0", "ZeroDivisionError: division by zero."),
        ("distance(self, reference, candidate): return float('nan')", "gives nan for the reference 'b' and"),
        ("distance(self, reference, candidate): return 1.5", "a distance is a number from 0 to 1"),
        ("distance(self, reference, candidate): return 'near'", "gives 'near' for the reference 'b'"),
        ("distances(self, references, candidates): return []", "gives 0 distances for 1 pairs"),
        ("distances(self, references, candidates): raise ValueError('x')", "fails at 1 pairs"),
    ],
)
def test_a_fault_names_plugin_pair_and_remedy(tmp_path: Path, body: str, said: str) -> None:
    measure = load_plugin(write(tmp_path, one_class(body)))()
    with pytest.raises(MeasureError) as caught:
        measure("a", "b")
    assert str(caught.value).startswith("Plug-in 'mine' (")
    assert "the reference 'b' and the candidate 'a'" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import nothing_of_that_name", "cannot be loaded: ModuleNotFoundError"),
        (one_class(NEVER) + "    title = 'a\\uffff'\n", "its `title` holds a code that Unicode keeps for no"),
        ("x = 1", "has 0 classes with a `name`"),
        (one_class("distance(self, a, b): return 0"), "must take reference and candidate, by these names"),
        (one_class("other(self): return 0"), "it has no `distance(self, reference, candidate)`"),
        (one_class("distance(self, reference, candidate): return 0", 'name = "Mine!"'), "'Mine!' is no name"),
        (
            one_class("distance(self, reference, candidate): return 0", 'name = "m"; range = (-1, 1)'),
            "its `range` must be two numbers, 0 and",
        ),
        (
            one_class(
                "distance(self, reference, candidate): return 0", 'name = "m"; libraries = ("no-such",)'
            ),
            "it needs no-such, which is not installed",
        ),
        (
            one_class("__init__(self, k): pass") + "    def distance(self, reference, candidate): return 0\n",
            "its option k needs a default",
        ),
        (
            one_class(NEVER, 'name = "m"; languages = "en"'),
            "its `languages` is one text; write several or one as ('en',)",
        ),
        (one_class(NEVER, 'name = "m"; libraries = "numpy"'), "its `libraries` is one text; write"),
        (one_class(NEVER, 'name = "m"; languages = {"en": 1}'), "its `languages` must be texts in brackets"),
    ],
)
def test_what_is_no_plugin_is_refused(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(MeasureError, match=r"^Plug-in ") as caught:
        load_plugin(write(tmp_path, body))
    assert said in str(caught.value)


@pytest.mark.parametrize("option", [*FACTS, "largest", "id", "info", "origin", "mode", "settle", "preset"])
def test_an_option_cannot_stand_in_place_of_what_a_measure_has(tmp_path: Path, option: str) -> None:
    body = one_class(f"__init__(self, {option}=1): pass") + f"    def {NEVER}\n"
    with pytest.raises(MeasureError, match=f"its option {option} has a name that measures use"):
        load_plugin(write(tmp_path, body))


def test_an_edit_within_a_second_that_keeps_the_size_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python takes what it compiled before where a file's size and second are the same."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    found = []
    for value in ("0.25", "0.75"):
        path = write(tmp_path, one_class(f"distance(self, reference, candidate): return {value}"))
        os.utime(path, (1_700_000_000, 1_700_000_000))
        found.append(load_plugin(path)()("a", "b"))
    assert found == [0.25, 0.75]
    assert [one.name for one in tmp_path.iterdir()] == ["own.py"]


def test_a_method_may_be_static(tmp_path: Path) -> None:
    body = one_class("distance(candidate, reference): return 0.25").replace("def", "@staticmethod\n    def")
    assert load_plugin(write(tmp_path, body))()("a", "b") == 0.25


def test_a_type_that_is_imported_for_type_checkers_alone_is_no_fault(tmp_path: Path) -> None:
    body = "from __future__ import annotations\n"
    body += one_class("__init__(self, k: Unknown = 1): self.k = k")
    body += "    def distance(self, reference, candidate): return self.k / 4\n"
    with adding([load_plugin(write(tmp_path, body))]):
        assert parse_measure("mine:k=3")("a", "b") == 0.75


def test_a_class_that_the_plugin_derives_from_is_no_second_one(tmp_path: Path) -> None:
    base = one_class(NEVER).replace("Mine", "Base")
    derived = "class Mine(Base):\n    name = 'other'\nSame = Mine\n"
    assert load_plugin(write(tmp_path, base + derived)).info.id == "other"
    with pytest.raises(MeasureError, match="has 2 classes with a `name`"):
        load_plugin(write(tmp_path, base + derived + one_class(NEVER).replace("Mine", "Third")))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, one_class(NEVER)).rename(tmp_path / "own.txt")
    with pytest.raises(MeasureError, match=r"is no Python file: its name must end in \.py"):
        load_plugin(path)


def test_a_name_that_another_measure_has_is_refused(tmp_path: Path) -> None:
    taken = load_plugin(write(tmp_path, CHRF_PLUGIN.replace("my-chrf", "rouge-l")))
    with (
        pytest.raises(MeasureError, match="'rouge-l' is the name of a measure of this package"),
        adding([taken]),
    ):
        pass
    own = load_plugin(write(tmp_path, CHRF_PLUGIN))
    with pytest.raises(MeasureError, match="Two measures have the name 'my-chrf'"), adding([own, own]):
        pass


def test_the_released_code_has_no_plugins(tmp_path: Path) -> None:
    with (
        adding([load_plugin(write(tmp_path, CHRF_PLUGIN))]),
        pytest.raises(MeasureError, match="no mode 'kdm'"),
    ):
        make_measure("my-chrf", mode="kdm")


def test_a_plugin_for_some_languages_refuses_others(tmp_path: Path) -> None:
    measure = load_plugin(
        write(tmp_path, CHRF_PLUGIN.replace("libraries", 'languages = ("en",)\n    libraries'))
    )()
    assert measure.in_languages(["en-GB"]) is measure
    with pytest.raises(MeasureError, match="is made for en, and the corpus is in de"):
        measure.in_languages(["de"])


def install_distribution(folder: Path, code: str) -> None:
    """What pip leaves of a distribution with that code: its module, and the entry point `my-chrf`."""
    (folder / "chrf_of_mine.py").write_text(code, encoding="utf-8")
    about = folder / "chrf_of_mine-2.5.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: chrf-of-mine\nVersion: 2.5\n", encoding="utf-8"
    )
    (about / "entry_points.txt").write_text(
        "[concord.measures]\nmy-chrf = chrf_of_mine:Chrf\n", encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("class Chrf:\n    name = 'my-chrf'\n    distance = max\n", "my-chrf"),
    ],
)
def test_an_installed_distribution_that_is_broken_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    """Whatever it raises: those who list the measures pass over one that cannot be loaded."""
    from meta_eval.measures import added

    install_distribution(tmp_path, code)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("chrf_of_mine", None)
    added._entry_points.cache_clear()
    try:
        with pytest.raises(MeasureError, match=reason):
            make_measure("my-chrf")
    finally:
        monkeypatch.undo()
        added._entry_points.cache_clear()
        sys.modules.pop("chrf_of_mine", None)


def test_an_installed_distribution_brings_its_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by its entry point in the group `concord.measures`, under its version."""
    from meta_eval.measures import added

    install_distribution(tmp_path, CHRF_PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    added._entry_points.cache_clear()
    try:
        measure = make_measure("my-chrf")
        assert measure.signature.versions["chrf-of-mine"] == "2.5"
        assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301 - our own bytes
    finally:
        monkeypatch.undo()
        added._entry_points.cache_clear()
