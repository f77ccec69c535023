"""Which decisions are the thesis' and which are ours: every result of its studies says so."""

from collections.abc import Mapping

Decisions = Mapping[str, list[str]]

DEVIATIONS: Decisions = {
    "thesis": [
        "the two deviations: means first for ROUGE-L, ratios first and weighed for its own measure",
        "weights that are the ratio to the document, not put through the softmax that it prints",
        "shares of 30, 50, 70 and 90 %, ten samples, three coefficients",
    ],
    "ours": [
        "either form for each measure",
        "both orders of a pair of readers, meant",
        "all co-readers, unless --co-readers last asks for the notebook's",
        "0/0 has no deviation by means, and is 0 by ratios",
        "the value over all pairs, with an interval over readers",
    ],
}
PENALTIES: Decisions = {
    "thesis": [
        "P-ROUGE = ROUGE x (1 - alpha sigmoid(beta EGISES / ROUGE)), EGISES by another measure",
        "shares of 80, 60, 40 and 20 %, ten samples, three coefficients",
    ],
    "ours": [
        "means over pairs of readers, where its notebook prints 102 times a mean",
        "the partial correlation with EGISES and the range of P-ROUGE / ROUGE, since the two agree by "
        "construction",
        "all co-readers, unless --co-readers last asks for the notebook's",
        "an interval over readers",
    ],
}
INSENSITIVITY: Decisions = {
    "thesis": ["weak and strong insensitivity (definition 3.1)"],
    "ours": [
        "its condition read as a distance, which it prints as a similarity",
        "shares over ordered pairs of readers, with the number of pairs",
    ],
}
