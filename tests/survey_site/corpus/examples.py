"""Corpora as the library's values, and as files, for the tests of the import."""

from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus, Document

TEST_FILE = (
    "userid\tclicknewsID\tposnewID\trewrite_titles\n"
    "U1\tN9\tN1,N2\tCouncil votes;;River rises\n"
    "U2\tN9\tN1\tVote on budget\n"
)
OUTPUT_FILE = "council votes\nriver rises\ncouncil votes\n"
JSONL_FILE = (
    '{"doc_id": "d1", "doc_text": "The council votes.", "doc_summ": "Council", "m_summary_dict": '
    '{"r1": {"user": "council votes", "A": "a vote"}, "r2": {"user": "budget", "A": "a vote"}}}\n'
)
BAD_JSONL_FILE = (
    JSONL_FILE
    + '{"doc_id": "d2"\n'
    + '{"doc_id": "d3", "doc_text": "", "doc_summ": "", "m_summary_dict": {}}\n'
)


def make_value(*, name: str = "d1", text: str = "council votes") -> Corpus:
    """One document with two readers and one system."""
    references = {"r1": text, "r2": "budget"}
    document = Document(
        name, "Council", "The council votes.", references, {"A": {"r1": "a vote", "r2": "a vote"}}
    )
    return Corpus((document,), ("a note",))


# Whatever PostgreSQL and SQLite both store: no NUL, no half surrogate pairs.
_texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
_names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)


@st.composite
def _documents(draw: st.DrawFn, name: str, readers: list[str], systems: list[str]) -> Document:
    present = draw(st.lists(st.sampled_from(readers), min_size=1, unique=True))
    references = {reader: draw(_texts) for reader in present}
    summaries = {
        system: {reader: draw(_texts) for reader in draw(st.permutations(present)) if draw(st.booleans())}
        for system in systems
    }
    written = {system: texts for system, texts in summaries.items() if texts}
    return Document(name, draw(_texts), draw(_texts), references, written)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Corpora with any text, readers of some documents only, and systems that miss some readers."""
    names = draw(st.lists(_names, min_size=1, max_size=3, unique=True))
    readers = draw(st.lists(_names, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(_names.filter(lambda name: name != "user"), max_size=3, unique=True))
    return Corpus(tuple(draw(_documents(name, readers, systems)) for name in names))
