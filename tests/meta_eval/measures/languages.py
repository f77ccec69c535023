"""Real sentences of 24 languages (fixtures/README.md names their source)."""

import json
import unicodedata
from pathlib import Path

FIXTURES = Path(__file__).parents[3] / "fixtures"
LANGUAGES = json.loads((FIXTURES / "languages" / "udhr-article-1.json").read_text(encoding="utf-8"))
LEXICAL = ("rouge-l", "rouge-su4", "bleu", "meteor", "jsd", "jsd-oov", "rouge-1", "rouge-2", "chrf")


def sentences(language):
    return LANGUAGES[language]["sentences"]


def texts_of(language):
    """Two real sentences, both joined, and the second in another order: texts that share some words."""
    first, second = sentences(language)
    half = len(second) // 2
    return [first, second, f"{first} {second}", second[half:] + " " + second[:half]]


def decomposed(texts):
    return [unicodedata.normalize("NFD", text) for text in texts]
