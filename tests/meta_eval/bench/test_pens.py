"""The benchmark on PENS gives each measure its seconds, on a test set of the same form."""

import io
from contextlib import redirect_stdout
from types import SimpleNamespace

import pytest

from meta_eval.bench.pens import FILES, main, read_corpus

LINES = ["userid\tclicknewsID\tposnewID\trewrite_titles"] + [
    f"U{reader}\tN9\tN1,N2\tstorm hits town {reader};;river floods bridge {reader}" for reader in range(3)
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "personalized_test.tsv").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    for file in FILES.values():
        (tmp_path / file).write_text("storm in town\nriver floods\n" * 3, encoding="utf-8")
    return tmp_path


@pytest.fixture
def in_process(monkeypatch):
    """What a process of its own would do, here: the command is the same, and so is what it writes."""

    def run(command, **_options):
        assert command[1:4] == ["-m", "meta_eval.bench.pens", "--one"]
        with redirect_stdout(io.StringIO()) as output:
            main(command[3:])
        return SimpleNamespace(stdout=output.getvalue())

    monkeypatch.setattr("meta_eval.bench.pens.subprocess.run", run)


@pytest.mark.usefixtures("in_process")
def test_each_measure_and_all_together_have_seconds_with_and_without_bodies(folder, capsys):
    main(["--folder", str(folder), "--measures", "bleu", "jsd", "--rounds", "2"])
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("Load before: ")
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    assert rows[0] == ["measure", "texts", "alone s", "alone cpu s", "of three s", "of three cpu s"]
    assert [row[:2] for row in rows[2:]] == [
        [name, texts] for name in ("bleu", "jsd", "all together") for texts in ("bare", "bodies")
    ]
    assert all(float(value) >= 0 for row in rows[2:] for value in row[2:])
    assert lines[-2].startswith("2 documents, ")
    assert "157 s (2:37 min) a system for 3,840 documents on 16 cores" in lines[-1]


def test_bodies_are_made_of_the_words_of_references(folder):
    assert {document.text for document in read_corpus(folder, bodies=False).documents} == {""}
    corpus = read_corpus(folder, bodies=True)
    known = set(" ".join(corpus.reference_texts).split())
    assert [len(document.text.split()) for document in corpus.documents] == [550, 550]
    assert all(set(document.text.split()) <= known for document in corpus.documents)


def test_a_folder_without_pens_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit) as left:
        main(["--folder", str(tmp_path)])
    assert left.value.code == 2
    assert f"{tmp_path} holds no personalized_test.tsv" in capsys.readouterr().err
