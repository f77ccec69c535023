"""What splits texts into words, counts what two texts share, and knows words' kinship."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "counts": ["Multisets", "count_ngrams", "count_words"],
        "coverage": ["Seen", "look"],
        "languages": ["base_tag", "is_foreign"],
        "sharing": ["intersection_sizes"],
        "skip_bigrams": ["SkipBigrams", "count_skip_bigrams"],
        "splitting": ["Splitter"],
        "stemming": ["Stemmer", "find_stemmer"],
        "tokenisers": ["TOKENISERS", "Tokeniser", "find_tokenizer"],
        "tokens": ["NumberedTexts", "Tokenizer", "number_texts"],
        "vectors": ["write_vectors"],
    },
)
