"""A LaTeX document around tables, which compiles whatever letters the names in it are written in."""

import re
import unicodedata

_LAST_LATIN = "\u024f"
"""The last letter that pdflatex's fonts can be expected to have."""
_LAST_SYMBOL = "\u2bff"
"""The last of the blocks of punctuation, arrows and mathematics."""
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)")
_SMALL = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon|phi|chi"
    "|psi|omega"
)
_CAPITAL = re.compile("Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega")
"""The letters that TeX has; the other capitals look like Latin ones, and TeX leaves them out."""


def latex_article(title: str, body: str) -> str:
    """A landscape article that pdflatex, lualatex and xelatex compile; title and body are LaTeX already."""
    return (
        "\\documentclass[10pt]{article}\n"
        "\\usepackage{iftex}\n"
        f"\\ifPDFTeX\n\\usepackage[T1]{{fontenc}}\n\\usepackage[utf8]{{inputenc}}\n{_declared(title + body)}"
        "\\else\n\\usepackage{fontspec}\n\\fi\n"
        "\\usepackage[a4paper,landscape,margin=15mm]{geometry}\n\\usepackage{booktabs}\n"
        f"\\title{{{title}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n"
        f"{body}\\end{{document}}\n"
    )


def _declared(text: str) -> str:
    """What pdflatex shows for each letter that its fonts lack; without it the first one ends the run."""
    letters = sorted(filter(_is_foreign, set(text)))
    return "".join(f"\\DeclareUnicodeCharacter{{{ord(one):04X}}}{{{_shown(one)}}}\n" for one in letters)


def _is_foreign(character: str) -> bool:
    """Letters, marks, digits and symbols; LaTeX knows the usual punctuation, signs of money and arrows."""
    written = unicodedata.category(character)[0] in "LMN"
    return character > _LAST_SYMBOL or (written and character > _LAST_LATIN)


def _shown(letter: str) -> str:
    """A Greek letter as mathematics has it, any other as its code point."""
    command = _greek_command(letter)
    return f"\\ensuremath{{\\{command}}}" if command else f"{{\\tiny [U+{ord(letter):04X}]}}"


def _greek_command(letter: str) -> str:
    """TeX's name of a Greek letter, empty where it has none; Unicode writes lambda as lamda."""
    named = _GREEK.fullmatch(unicodedata.name(letter, ""))
    if named is None:
        return ""
    small = named[2].lower().replace("lamda", "lambda")
    name, there = (small, _SMALL) if named[1] == "SMALL" else (small.capitalize(), _CAPITAL)
    return name if there.fullmatch(name) else ""
