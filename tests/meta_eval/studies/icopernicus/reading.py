"""A made corpus whose texts name their owner, and what a prompt tells, read back part by part."""

import re

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.readers import ReaderHistory

READERS = ("ann", "bob", "cem", "dee")


def make_corpus(documents=8, readers=READERS, words=40):
    """Every text says whose it is and about what; each reader wrote for each document."""
    return Corpus(
        tuple(
            Document(
                f"d{number}",
                f"title of d{number}",
                " ".join(f"body{number}w{word}" for word in range(words)),
                {reader: f"headline by {reader} for d{number}" for reader in readers},
            )
            for number in range(documents)
        )
    )


def make_readers(readers=READERS, titles=6):
    return {
        reader: ReaderHistory(reader, tuple(f"{reader} read title {number}" for number in range(titles)))
        for reader in readers
    }


def parts_of(request):
    """What stands between fences, and the headlines of examples, in their order."""
    user = request.messages[-1].content
    asked = user.rsplit("\n\nAnswer with", 1)[0]
    return fences_of(user), re.findall(r"^Headline(?: for User\d)?: (.*)$", asked, re.MULTILINE)


def fences_of(text):
    """What stands between fences."""
    fenced = re.findall(r"^(~{4,})\n(.*?)\n\1$", text, re.DOTALL | re.MULTILINE)
    return [inside for _, inside in fenced]


def whole_text(request):
    return "\n".join(message.content for message in request.messages)
