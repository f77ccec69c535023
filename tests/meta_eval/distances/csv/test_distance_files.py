import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable, compute_distances
from meta_eval.distances.csv import read_distances, readers_of, write_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.measures.base import Signature
from meta_eval.scores.contributions import score_contributions
from tests.meta_eval.strategies import corpora, document
from tests.meta_eval.tables import assert_same_bits, assert_same_distances

TO_DOCUMENT, TO_EACH_OTHER, TO_GOLD = (
    "sum_doc_distances.csv",
    "sum_sum_doc_distances.csv",
    "sum_user_distances.csv",
)
ONE, TWO = "doc_id,origin_model,uid,score\n", "doc_id,origin_model,uid1,uid2,score\n"


@contextmanager
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def write_files(where: Path, system: str = "S", **rows: str) -> None:
    """The three files of a system: one document, two readers, changed by the rows given by file."""
    files = {
        "doc": ONE + "d,user,r1,0.5\nd,user,r2,0.5\nd,S,r1,0.5\nd,S,r2,0.25\n",
        "each": TWO + "d,user,r1,r2,0.75\nd,user,r2,r1,0.75\nd,S,r1,r2,0.1\nd,S,r2,r1,0.2\n",
        "gold": ONE + "d,S,r1,0.3\nd,S,r2,0.4\n",
    }
    (where / system).mkdir(exist_ok=True, parents=True)
    for key, name in (("doc", TO_DOCUMENT), ("each", TO_EACH_OTHER), ("gold", TO_GOLD)):
        (where / system / name).write_text(rows.get(key, files[key]).replace(",S,", f",{system},"))


def counted_as(table: DistanceTable, other: DistanceTable, *names: str) -> DistanceTable:
    """With counts that files do not hold."""
    known = {name: getattr(other.counts, name) for name in names}
    return replace(table, counts=replace(table.counts, **known))


def many_readers(corpus: Corpus) -> Corpus:
    return Corpus(tuple(found for found in corpus.documents if len(found.references) > 1))


@settings(deadline=None)
@given(corpora(), st.sampled_from(["jsd", "bleu"]), st.sampled_from(["document", "none"]))
def test_what_is_written_is_read_bit_by_bit(corpus, measure_id, normalise):
    corpus = many_readers(corpus)
    if not corpus.documents:
        return
    table = compute_distances(corpus, make_measure(measure_id), normalise=normalise)
    with folder() as where:
        write_distances(table, readers_of(corpus), where)
        read = read_distances(where, normalise=normalise)
        assert len(list(where.rglob("*.*"))) == 1 + 2 * (3 if normalise == "document" else 2)
    assert_same_distances(counted_as(read.table, table, "texts", "empty"), table)
    assert read.readers == readers_of(corpus)


@settings(deadline=None)
@given(corpora())
def test_the_files_do_not_show_the_shards(corpus):
    files = []
    for shard in (1, len(corpus.documents)):
        table = compute_distances(corpus, make_measure("rouge-l"), shard_documents=shard)
        with folder() as where:
            write_distances(table, readers_of(corpus), where)
            files.append({path.relative_to(where): path.read_bytes() for path in where.rglob("*.*")})
    assert files[0] == files[1]


@settings(deadline=None)
@given(corpora())
def test_files_score_as_the_texts_do(corpus):
    table = compute_distances(corpus, make_measure("bleu"))
    with folder() as where:
        write_distances(table, readers_of(corpus), where)
        if not table.blocks:
            with pytest.raises(InputError, match="no row holds a distance"):
                read_distances(where)
            return
        found = score_contributions(read_distances(where).table).system_scores()
    expected = score_contributions(table).system_scores()
    assert {name: score.as_dict() for name, score in found.items()} == {
        name: pytest.approx(score.as_dict(), abs=1e-15) for name, score in expected.items()
    }


def test_the_files_are_as_others_write_them(tmp_path):
    measure = make_measure("bleu")
    gold = {"r1": "storm", "r2": "storm river"}
    corpus = Corpus((document("d1", references=gold, body="river", S={"r1": "storm", "r2": "river"}),))
    table = compute_distances(corpus, measure)
    write_distances(table, readers_of(corpus), tmp_path)
    block = table.blocks[0]
    gold_there, gold_back = block.gold[0, 0, 1], block.gold[0, 1, 0]
    assert gold_there != gold_back
    assert (tmp_path / "S" / TO_EACH_OTHER).read_text().splitlines() == [
        "doc_id,origin_model,uid1,uid2,score",
        f"d1,user,r1,r2,{float(gold_there)!r}",
        f"d1,user,r2,r1,{float(gold_back)!r}",
        "d1,S,r1,r2,1.0",
        "d1,S,r2,r1,1.0",
    ]
    assert (tmp_path / "S" / TO_GOLD).read_text().splitlines() == [
        "doc_id,origin_model,uid,score",
        "d1,S,r1,0.0",
        f"d1,S,r2,{float(block.systems_gold[0, 0, 1])!r}",
    ]
    assert [line.split(",")[:3] for line in (tmp_path / "S" / TO_DOCUMENT).read_text().splitlines()[1:]] == [
        ["d1", "user", "r1"],
        ["d1", "user", "r2"],
        ["d1", "S", "r1"],
        ["d1", "S", "r2"],
    ]


def test_readers_keep_the_order_of_their_own_document(tmp_path):
    one, other = document("d1", S={"r1": "storm"}), document("d2", S={"r3": "river"})
    reverse = dict(reversed(other.references.items()))
    corpus = Corpus((one, replace(other, references=reverse)))
    for normalise in ("document", "none"):
        table = compute_distances(corpus, make_measure("bleu"), normalise=normalise)
        write_distances(table, readers_of(corpus), tmp_path / normalise)
        read = read_distances(tmp_path / normalise, normalise=normalise)
        assert read.readers == {"d1": ("r1", "r2", "r3"), "d2": ("r3", "r2", "r1")}
        assert_same_distances(counted_as(read.table, table, "texts"), table)


def test_a_summary_that_was_not_written_has_no_rows_and_stays_missing(tmp_path):
    corpus = Corpus((document("d1", S={"r1": "storm", "r3": "river"}, T={"r2": "late"}),))
    table = compute_distances(corpus, make_measure("jsd"))
    write_distances(table, readers_of(corpus), tmp_path)
    assert ",r2," not in (tmp_path / "S" / TO_GOLD).read_text()
    assert_same_distances(counted_as(read_distances(tmp_path).table, table, "texts"), table)


def test_names_that_cannot_be_folders_come_back_as_they_were(tmp_path):
    names = {"a/b": {"r1": "x"}, "..": {"r1": "y"}, "50%, é": {"r1": "z"}}
    corpus = Corpus((document("d,1", references={"r 1": "a", 'r"2': "b"}, **names),))
    table = compute_distances(corpus, make_measure("jsd"))
    write_distances(table, readers_of(corpus), tmp_path / "in")
    read = read_distances(tmp_path / "in")
    assert (read.table.systems, read.table.documents) == (("a/b", "..", "50%, é"), ("d,1",))
    assert read.readers == {"d,1": ("r 1", 'r"2')}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_files_without_a_signature_are_named_by_their_folder(tmp_path):
    write_files(tmp_path / "calculate_meteor", "B")
    write_files(tmp_path / "calculate_meteor", "A")
    table = read_distances(tmp_path / "calculate_meteor").table
    assert table.signature == Signature("calculate_meteor", mode="imported")
    assert (table.systems, table.documents) == (("A", "B"), ("d",))
    block = table.blocks[0]
    assert_same_bits(block.gold, np.array([[[np.nan, 0.75], [0.75, np.nan]]]))
    assert_same_bits(block.systems[0], np.array([[[np.nan, 0.1], [0.2, np.nan]]]))
    assert_same_bits(block.gold_document, np.array([[0.5, 0.5]]))
    assert_same_bits(block.systems_document[1], np.array([[0.5, 0.25]]))
    assert_same_bits(block.systems_gold[1], np.array([[0.3, 0.4]]))


def test_one_direction_stands_for_both_only_if_asked(tmp_path):
    write_files(tmp_path, each=TWO + "d,user,r1,r2,0.75\nd,S,r2,r1,0.2\n")
    one = read_distances(tmp_path).table.blocks[0]
    both = read_distances(tmp_path, symmetric=True).table.blocks[0]
    assert np.isnan(one.gold[0]).tolist() == [[True, False], [True, True]]
    assert_same_bits(both.gold[0], np.array([[np.nan, 0.75], [0.75, np.nan]]))
    assert_same_bits(both.systems[0, 0], np.array([[np.nan, 0.2], [0.2, np.nan]]))


def test_columns_may_stand_in_any_order_and_others_are_passed_over(tmp_path):
    rows = "uid1,note,doc_id,uid2,score,origin_model\nr1,x,d,r2,0.75,user\nr2,x,d,r1,0.7,S\n"
    write_files(tmp_path, each=rows)
    block = read_distances(tmp_path).table.blocks[0]
    assert (block.gold[0, 0, 1], block.systems[0, 0, 1, 0]) == (0.75, 0.7)


def test_an_empty_score_or_nan_is_missing_and_counted(tmp_path):
    write_files(tmp_path, gold=ONE + "d,S,r1,\nd,S,r2,nan\n")
    table = read_distances(tmp_path).table
    assert table.counts.missing == 2
    assert np.isnan(table.blocks[0].systems_gold).all()


def test_rows_that_agree_and_readers_with_themselves_are_passed_over(tmp_path):
    rows = TWO + "d,user,r1,r2,0.75\nd,user,r1,r2,0.75004\nd,user,r1,r1,0\nd,S,r1,r2,0.1\n"
    write_files(tmp_path, each=rows)
    gold = read_distances(tmp_path).table.blocks[0].gold
    assert_same_bits(gold, np.array([[[np.nan, 0.75], [np.nan, np.nan]]]))


def test_a_document_with_one_reader_is_known_but_has_no_distances(tmp_path):
    write_files(tmp_path, doc=ONE + "c,user,r1,0.5\nd,user,r1,0.5\nd,user,r2,0.5\n")
    read = read_distances(tmp_path)
    assert (read.table.documents, read.table.counts.documents) == (("c", "d"), 1)
    assert read.readers == {"c": ("r1",), "d": ("r1", "r2")}


NO_DISTANCE = "it must be a distance, from 0 to 1e+09, or empty if it is missing"


def test_every_bad_row_is_reported_with_file_and_line(tmp_path):
    write_files(
        tmp_path,
        doc=ONE + "d,user,r1,half\nd,T,r1,0.5\nd,S,,0.5\nd,S,r1\nd,S,r1,-0.1\nd,S,r2,inf\nd,S,r2,1e308\n",
        each=TWO + "d,user,r1,r2,0.75\nd,user,r1,r2,0.5\nd,S,r1,r2,0.1\n",
        gold="doc,origin_model,uid,score\n",
    )
    write_files(tmp_path, "T", each=TWO + "d,user,r1,r2,0.7\nd,T,r1,r2,0.1\n")
    with pytest.raises(InputError) as raised:
        read_distances(tmp_path)
    assert [str(fault) for fault in raised.value.faults] == [
        f"S/{TO_DOCUMENT}:2: score is 'half'; {NO_DISTANCE}",
        f"S/{TO_DOCUMENT}:3: origin_model is 'T'; it must be one of user, S",
        f"S/{TO_DOCUMENT}:4: the document or a reader is empty",
        f"S/{TO_DOCUMENT}:5: has 3 fields; the header has 4",
        f"S/{TO_DOCUMENT}:6: score is '-0.1'; {NO_DISTANCE}",
        f"S/{TO_DOCUMENT}:7: score is 'inf'; {NO_DISTANCE}",
        f"S/{TO_DOCUMENT}:8: score is '1e308'; {NO_DISTANCE}",
        f"S/{TO_GOLD}:1: the header must name the columns doc_id, origin_model, uid, score",
        f"S/{TO_EACH_OTHER}:3: score 0.5 of a distance that was 0.75 before (line 2 of its file)",
        f"T/{TO_EACH_OTHER}:2: score 0.7 of a distance that was 0.75 before (line 2 of its file)",
    ]


def test_distances_to_the_documents_must_be_there_unless_they_are_not_wanted(tmp_path):
    write_files(tmp_path)
    (tmp_path / "S" / TO_DOCUMENT).unlink()
    with pytest.raises(
        InputError, match=f"S/{TO_DOCUMENT}: the file is missing; add it, or ask for normalise"
    ):
        read_distances(tmp_path)
    block = read_distances(tmp_path, normalise="none").table.blocks[0]
    assert (block.gold_document, block.systems_document) == (None, None)


def test_a_folder_without_distances_is_an_error_that_says_so(tmp_path):
    with pytest.raises(InputError, match=f"holds no distances: no folder in it has a file {TO_EACH_OTHER}"):
        read_distances(tmp_path)


@pytest.mark.parametrize(
    ("system", "problem"), [("\udcff", "half a surrogate pair"), (" S", "begins or ends with a blank")]
)
def test_a_folder_whose_name_is_no_system_is_an_error(tmp_path, system, problem):
    write_files(tmp_path)
    (tmp_path / "S").rename(tmp_path / system)
    with pytest.raises(InputError, match=f": the system's name .*{problem}"):
        read_distances(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        "[]",
        '{"signature": {"measure": "jsd", "what": 1}, "systems": []}',
        '{"signature": {"measure": 1}, "systems": []}',
        '{"signature": {"measure": "jsd", "options": 1}, "systems": []}',
        '{"signature": {"measure": "jsd"}, "systems": {"S": 1}}',
        '{"systems": []}',
    ],
)
def test_a_signature_that_cannot_be_read_is_an_error(tmp_path, text):
    write_files(tmp_path)
    (tmp_path / "signature.json").write_text(text)
    with pytest.raises(
        InputError, match=r"signature.json: cannot be read .*; remove it to read the distances"
    ):
        read_distances(tmp_path)


def test_the_signature_says_what_the_distances_are(tmp_path):
    measure, corpus = make_measure("bleu", n=4), Corpus((document("d1", S={"r1": "x"}),))
    write_distances(compute_distances(corpus, measure), readers_of(corpus), tmp_path)
    assert json.loads((tmp_path / "signature.json").read_text()) == {
        "signature": measure.signature.as_dict(),
        "normalise": "document",
        "systems": ["S"],
    }
    assert read_distances(tmp_path).table.signature.digest == measure.signature.digest


def test_what_rounding_left_below_nothing_is_nothing(tmp_path):
    """A distance of -1e-4 would put scores outside [0, 1]."""
    corpus = many_readers(Corpus((document("d1", S={"r1": "storm", "r2": "river", "r3": "school"}),)))
    write_distances(compute_distances(corpus, make_measure("bleu")), readers_of(corpus), tmp_path)
    for file in tmp_path.rglob("*.csv"):
        head, *rows = file.read_text(encoding="utf-8").splitlines()
        lowered = [f"{row.rpartition(',')[0]},-0.00009" for row in rows[:-1]] + [
            f"{row.rpartition(',')[0]}," for row in rows[-1:]
        ]
        file.write_text("\n".join([head, *lowered]) + "\n", encoding="utf-8")
    (block,) = read_distances(tmp_path).table.blocks
    assert set(block.systems_gold[np.isfinite(block.systems_gold)].tolist()) == {0.0}
    assert int(np.isnan(block.systems_gold).sum()) == 1
