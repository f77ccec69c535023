import pytest

from meta_eval.corpus.pens import read_pens
from meta_eval.errors import InputError

HEADER = "userid\tclicknewsID\tposnewID\trewrite_titles\n"
NEWS_HEADER = "News ID\tCategory\tTopic\tHeadline\tNews body\n"


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        paths = {}
        for name, text in texts.items():
            paths[name] = tmp_path / f"{name}.txt"
            paths[name].write_text(text, encoding="utf-8")
        return paths

    return write


def test_references_and_outputs_are_joined_in_order(files):
    paths = files(test=HEADER + "U1\tN9\tN1,N2\tFirst Title;;Second\nU2\tN9\tN2\tThird\n", s="one\n two \n\n")
    corpus = read_pens(test=paths["test"], systems={"S": paths["s"]})
    assert [document.as_record() for document in corpus.documents] == [
        {
            "doc_id": "N1",
            "doc_text": "",
            "doc_summ": "",
            "m_summary_dict": {"U1": {"user": "first title", "S": "one"}},
        },
        {
            "doc_id": "N2",
            "doc_text": "",
            "doc_summ": "",
            "m_summary_dict": {"U1": {"user": "second", "S": "two"}, "U2": {"user": "third", "S": ""}},
        },
    ]
    assert corpus.notes == (
        "no news file given: documents have no text, so only scores with normalise=none can be computed",
    )


def test_an_empty_reference_has_no_output_line_and_a_repeated_one_keeps_the_later(files):
    paths = files(test=HEADER + "U1\tN9\tN1,N2,N1\told;; ;;new\n", s="old out\nnew out\n")
    corpus = read_pens(test=paths["test"], systems={"S": paths["s"]}, lower_case=False)
    assert [document.as_record()["m_summary_dict"] for document in corpus.documents] == [
        {"U1": {"user": "new", "S": "new out"}}
    ]
    assert corpus.notes[:2] == (
        "1 empty references left out",
        "1 reader-document pairs occur twice; the later one stands",
    )


def test_news_gives_titles_and_bodies(files):
    paths = files(
        test=HEADER + "U1\tN9\tN1,N2\ta;;b\n",
        news=NEWS_HEADER + 'N1\tc\tt\tTitle\t"A ""body""\twith a tab"\n',
    )
    corpus = read_pens(test=paths["test"], systems={}, news=paths["news"])
    assert [document.text for document in corpus.documents] == ['Title A "body"\twith a tab', ""]
    assert corpus.notes == ("1 of 2 documents have no body in the news file",)


def test_every_fault_of_every_file_is_reported(files):
    paths = files(
        test=HEADER + "U1\tN9\tN1,N2\tonly one\n\tN9\tN1\ta\nU3\tN9\n",
        s="one\ntwo\n",
        news="News ID\tHeadline\n",
    )
    with pytest.raises(InputError) as caught:
        read_pens(test=paths["test"], systems={"S": paths["s"]}, news=paths["news"])
    assert [str(fault) for fault in caught.value.faults] == [
        "test.txt:2: reader 'U1' has 2 documents but 1 titles",
        "test.txt:3: the userid is empty",
        "test.txt:4: 2 columns where the header has 4",
        "s.txt: 2 lines for system 'S'; the test file has 1 non-empty references",
        "news.txt:1: the header lacks News body (tab-separated)",
    ]


def test_a_document_without_a_name_is_a_fault_of_its_line(files):
    paths = files(test=HEADER + "U1\tN9\tN1\ta\nU1\tN9\tN1,,N2\ta;;b;;c\n")
    with pytest.raises(InputError) as caught:
        read_pens(test=paths["test"], systems={})
    assert [str(fault) for fault in caught.value.faults] == ["test.txt:3: document 2 of posnewID is empty"]


@pytest.mark.parametrize(
    ("name", "problem"), [(" S", "begins or ends with a blank"), ("a\nb", "holds a line end or another")]
)
def test_a_system_has_a_name_that_a_corpus_can_hold(files, name, problem):
    paths = files(test=HEADER + "U1\tN9\tN1\ta\n", s="x\n")
    with pytest.raises(InputError, match=problem):
        read_pens(test=paths["test"], systems={name: paths["s"]})


def test_gold_is_no_system(files):
    paths = files(test=HEADER + "U1\tN9\tN1\ta\n", s="x\n")
    with pytest.raises(InputError, match="'user' cannot be a system's name"):
        read_pens(test=paths["test"], systems={"user": paths["s"]})


@pytest.mark.shared
def test_the_published_test_set_has_the_counts_of_the_protocol(shared):
    data = shared / "data" / "pens"
    corpus = read_pens(test=data / "personalized_test.tsv", systems={"NAML": data / "hyps_NAML.txt"})
    assert (len(corpus.documents), len(corpus.readers), corpus.references) == (3840, 103, 20_599 - 45)
    assert corpus.notes[:2] == (
        "1 empty references left out",
        "45 reader-document pairs occur twice; the later one stands",
    )
    assert max(len(document.references) for document in corpus.documents) == 16
