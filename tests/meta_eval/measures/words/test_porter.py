import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from meta_eval.measures.words.porter import porter_stem

NLTK = PorterStemmer()
ENDINGS = [
    "ational",
    "tional",
    "enci",
    "anci",
    "izer",
    "bli",
    "alli",
    "entli",
    "eli",
    "ousli",
    "ization",
    "ation",
    "ator",
    "alism",
    "iveness",
    "fulness",
    "ousness",
    "aliti",
    "iviti",
    "biliti",
    "fulli",
    "logi",
    "icate",
    "ative",
    "alize",
    "iciti",
    "ical",
    "ful",
    "ness",
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
    "s",
    "es",
    "ies",
    "sses",
    "ss",
    "ed",
    "ied",
    "eed",
    "ing",
    "y",
    "ll",
    "e",
    "at",
    "bl",
    "iz",
    "*d",
]
beginnings = st.text("aeiouybcdlstzwxr", max_size=6)
built = st.builds("{}{}".format, beginnings, st.lists(st.sampled_from(ENDINGS), max_size=3).map("".join))


@given(built | st.text("abcdeilnostyz", max_size=9) | st.text(max_size=6))
def test_stems_are_nltks(word):
    assert porter_stem(word) == NLTK.stem(word)


@pytest.mark.parametrize(
    "word",
    [
        "skies",
        "sky",
        "dying",
        "lying",
        "tying",
        "news",
        "innings",
        "inning",
        "outings",
        "outing",
        "cannings",
        "canning",
        "howe",
        "proceed",
        "exceed",
        "succeed",
        "dies",
        "died",
        "spied",
        "flies",
        "feed",
        "agreed",
        "yyyyyed",
        "geologi",
        "logi",
        "rationalli",
        "Is",
    ],
)
def test_what_nltk_treats_apart_is_treated_alike(word):
    assert porter_stem(word) == NLTK.stem(word)


@pytest.mark.shared
def test_stems_of_every_word_of_pens_are_nltks(shared):
    files = sorted((shared / "data" / "pens").iterdir())
    texts = (file.read_text(encoding="utf-8").lower() for file in files)
    words = sorted({word for text in texts for word in re.findall(r"\w+", text)})
    assert len(words) > 10_000
    assert [porter_stem(word) for word in words] == [NLTK.stem(word) for word in words]
