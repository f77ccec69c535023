"""Two documents for a judge, and one that counts shared words."""

from meta_eval.corpus.documents import Document
from tests.factories.llm_server import Play, prompt_of

READERS = ("reader-ann", "reader-bob", "reader-cid")
SYSTEMS = ("System-Copy", "System-Half", "System-Deaf")
DOCUMENTS = ("doc-river", "doc-storm")
TEXTS = {
    "doc-river": ("council votes on the river", "the river floods a road", "budget for the new dam"),
    "doc-storm": ("storm hits an old bridge", "bridge closed until winter", "ferries run beside it"),
}


def make_document(name):
    own = dict(zip(READERS, TEXTS[name], strict=True))
    summaries = {
        SYSTEMS[0]: own,
        SYSTEMS[1]: {reader: f"{text.split()[0]} news of the day" for reader, text in own.items()},
        SYSTEMS[2]: dict.fromkeys(READERS, "one text for all"),
    }
    return Document(name, f"Title of {name.removeprefix('doc-')}", "A body of many words.", own, summaries)


def two_texts(prompt):
    """Both texts of a prompt: what stands between its lines of tildes."""
    return [part.strip() for part in prompt.split("~~~~")[1::2]]


def overlap(body, times):
    """A judge that counts shared words, and gives one point more where the first text is the longer one."""
    first, second = (set(text.split()) for text in two_texts(prompt_of(body)))
    score = 1 + 4 * len(first & second) // len(first | second) + (len(first) > len(second))
    return Play(f'Sure: {{"score": {score}}}', fingerprint="build-1")
