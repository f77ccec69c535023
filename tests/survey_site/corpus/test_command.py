"""manage.py import_corpus: both formats, every fault, and twice."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from survey_site.corpus.models import Corpus, System
from tests.survey_site.corpus.examples import BAD_JSONL_FILE, JSONL_FILE, OUTPUT_FILE, TEST_FILE

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    texts = {
        "good.jsonl": JSONL_FILE,
        "bad.jsonl": BAD_JSONL_FILE,
        "test.tsv": TEST_FILE,
        "hyps_A.txt": OUTPUT_FILE,
        "short.txt": "one line\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*arguments, **options):
    out, err = StringIO(), StringIO()
    call_command("import_corpus", *map(str, arguments), stdout=out, stderr=err, **options)
    return out.getvalue()


def test_a_jsonl_file(folder):
    assert run(folder / "good.jsonl", "--name", "Pilot") == (
        f"Imported corpus {Corpus.objects.get().pk}, 'Pilot': "
        "documents 1, readers 2, references 2, systems 1.\n"
        "Read: 1 document, 2 readers, 2 references, 1 system: 4 texts taken, 0 not written.\n"
    )
    assert Corpus.objects.get().source == "Consolidated JSONL: good.jsonl"


def test_a_corpus_is_named_after_its_file(folder):
    run(folder / "good.jsonl")
    assert Corpus.objects.get().name == "good"


def test_pens_files(folder):
    text = run(
        "--test",
        folder / "test.tsv",
        "--system",
        f"One={folder}/hyps_A.txt",
        "--system",
        folder / "hyps_A.txt",
    )
    assert list(System.objects.values_list("name", flat=True)) == ["One", "A"]
    assert "documents 2, readers 2, references 3, systems 2." in text
    assert "Note: no news file given" in text
    assert (
        Corpus.objects.get().source
        == "PENS: test.tsv; systems One (hyps_A.txt), A (hyps_A.txt); news not given"
    )


def test_the_same_file_twice(folder):
    run(folder / "good.jsonl", "--name", "Pilot")
    assert run(folder / "good.jsonl", "--name", "Again") == (
        f"Already there as corpus {Corpus.objects.get().pk}, 'Pilot': same content, nothing changed.\n"
    )


def test_every_fault_is_told_with_file_and_line_and_nothing_is_imported(folder):
    err = StringIO()
    with pytest.raises(CommandError, match=r"^Nothing was imported: 2 faults\.$"):
        call_command("import_corpus", str(folder / "bad.jsonl"), stderr=err)
    lines = err.getvalue().splitlines()
    assert [line.split(": ")[0] for line in lines] == ["bad.jsonl:2", "bad.jsonl:3"]
    assert Corpus.objects.count() == 0


def test_an_output_file_with_too_few_lines(folder):
    err = StringIO()
    with pytest.raises(CommandError, match="1 fault\\."):
        call_command(
            "import_corpus", test=str(folder / "test.tsv"), system=[f"A={folder}/short.txt"], stderr=err
        )
    assert err.getvalue() == ("short.txt: 1 lines for system 'A'; the test file has 3 non-empty references\n")


def test_a_file_that_is_not_there(folder):
    err = StringIO()
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_corpus", str(folder / "none.jsonl"), stderr=err)
    assert "cannot be read: No such file or directory" in err.getvalue()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give either one JSONL file or --test"),
        (["a.jsonl", "--test", "b.tsv"], "Give either one JSONL file or --test"),
        (["a.jsonl", "--news", "n.tsv"], "belong to PENS files"),
        (["--test", "b.tsv"], "at least one --system"),
        (["--test", "b.tsv", "--system", "A=1", "--system", "A=2"], "Two files are given for the system 'A'"),
        (["--test", "b.tsv", "--system", "=x"], "not of the form NAME=FILE"),
    ],
)
def test_arguments_that_do_not_fit_together(arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*arguments)
