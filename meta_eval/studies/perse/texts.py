"""How texts are cut before they are shown, as the paper does: at a full stop, never within a sentence."""

from hashlib import sha256

MOST_REVIEW_WORDS = 150
MOST_TEXT_WORDS = 2500
"""A text with more words is left out."""


def first_words(text: str, most: int) -> str:
    """The text up to this many words.

    Examples
    --------
    >>> first_words("rain in the north", 2)
    'rain in'
    """
    words = text.split()
    return text if len(words) <= most else " ".join(words[:most])


def to_last_stop(text: str) -> str:
    """The text up to its last full stop; all of it where it has none.

    Examples
    --------
    >>> to_last_stop("It rains. The sun")
    'It rains.'
    """
    end = text.rfind(".")
    return text.strip() if end < 0 else text[: end + 1].strip()


def clean_review(text: str) -> str:
    """A review without quotation marks, of at most 150 words, ending at a full stop if it has one.

    Examples
    --------
    >>> clean_review('A "good" film. And')
    'A good film.'
    """
    return to_last_stop(
        first_words("".join(sign for sign in text if sign not in '"“”„«»'), MOST_REVIEW_WORDS)
    )


def comparison_id(premise: str, a: str, b: str) -> str:
    """The name of a comparison, from its texts: the same two texts to the same premise have the same name.

    So a person's choice is known not to stand in a profile that is shown, whoever made the profile.

    Examples
    --------
    >>> comparison_id("", "rain", "sun") == comparison_id("", "sun", "rain")
    False
    """
    return sha256(f"{premise}\x1f{a}\x1f{b}".encode()).hexdigest()[:16]


def is_too_long(text: str) -> bool:
    """Whether a text has more words than are judged."""
    return len(text.split()) > MOST_TEXT_WORDS
