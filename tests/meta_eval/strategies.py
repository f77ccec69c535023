"""Hypothesis strategies and small builders for corpora."""

from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus, Document

WORDS = ("storm", "bridge", "council", "votes", "budget", "river", "school", "opens", "late", "again")


def document(
    doc_id: str = "d1",
    *,
    references: dict[str, str] | None = None,
    body: str = "the council votes on the bridge budget after the storm",
    **summaries: dict[str, str],
) -> Document:
    references = references or {
        "r1": "council votes again",
        "r2": "storm hits bridge",
        "r3": "budget of the river",
    }
    return Document(doc_id, "bridge", body, references, summaries)


texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=8).map(" ".join)
references = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


@st.composite
def documents(draw: st.DrawFn, doc_id: str, systems: tuple[str, ...]) -> Document:
    readers = [f"r{number}" for number in range(draw(st.integers(1, 5)))]
    gold = {reader: draw(references) for reader in readers}
    written = {system: {reader: draw(texts) for reader in readers} for system in systems}
    return Document(doc_id, "title", draw(references), gold, written)


@st.composite
def corpora(draw: st.DrawFn, systems: tuple[str, ...] = ("one", "two")) -> Corpus:
    count = draw(st.integers(1, 4))
    return Corpus(tuple(draw(documents(f"d{number}", systems)) for number in range(count)))
