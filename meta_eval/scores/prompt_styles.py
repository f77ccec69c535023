"""iCOPERNICUS' six prompt styles, the orders of poorer and richer prompts, and systems named MODEL: STYLE."""

from collections.abc import Mapping
from typing import Literal

STYLES = ("0-shot", "2-shot w/o", "2-shot w/", "C-0-shot", "C-2-shot w/o", "C-2-shot w/")
"""Prompt styles: examples without and with the reader's history; C- for the contrastive versions."""
CONTRASTIVE = STYLES[3:]
"""Styles whose prompts are of two readers at once."""
SHOTS = ("k-shot", "dialogue")
"""Styles with as many examples as the user wants, and no history: a text to complete, and a conversation."""
ADVERSARIAL = ", random User2"
"""Ends the name of a system whose prompts told another reader's history and headlines as the second's."""

Pairs = Literal["table", "section-3", "all"]
Pair = tuple[str, str]

_TABLE: Mapping[str, Pair] = {
    "PX-1": ("0-shot", "2-shot w/o"),
    "PX-2": ("0-shot", "2-shot w/"),
    "PX-3": ("0-shot", "C-0-shot"),
    "PX-4": ("2-shot w/o", "C-2-shot w/o"),
    "PX-5": ("C-0-shot", "C-2-shot w/"),
    "PX-6": ("C-0-shot", "C-2-shot w/o"),
}
_ALL: Mapping[str, Pair] = {
    "PX-1": ("0-shot", "2-shot w/o"),
    "PX-1-h": ("0-shot", "2-shot w/"),
    "PX-1 (contrastive)": ("C-0-shot", "C-2-shot w/o"),
    "PX-1-h (contrastive)": ("C-0-shot", "C-2-shot w/"),
    "PX-2": ("2-shot w/o", "2-shot w/"),
    "PX-2 (contrastive)": ("C-2-shot w/o", "C-2-shot w/"),
    "PX-3": ("0-shot", "C-0-shot"),
    "PX-4": ("2-shot w/o", "C-2-shot w/o"),
    "PX-5": ("2-shot w/", "C-2-shot w/"),
}
PAIRS: Mapping[Pairs, Mapping[str, Pair]] = {
    "table": _TABLE,
    "section-3": {**_TABLE, "PX-2": ("2-shot w/o", "2-shot w/"), "PX-5": ("2-shot w/", "C-2-shot w/")},
    "all": _ALL,
}
"""Poorer and richer prompt of each order: as the paper's Table 4 has them, as its section 3 states, and all
nine of section 3 by the names that it gives them. PX-2 and PX-5 mean different prompts in the first two."""


def model_and_style(system: str) -> tuple[str, str] | None:
    """What stands before and after the last colon of a name, whatever the style; None without a colon.

    Examples
    --------
    >>> model_and_style("GPT: mini: C-0-shot, random User2"), model_and_style("NAML")
    (('GPT: mini', 'C-0-shot, random User2'), None)
    """
    model, colon, style = (part.strip() for part in system.rpartition(":"))
    return (model, style) if colon else None


def split_system(system: str) -> tuple[str, str] | None:
    """Model and style of a system named MODEL: STYLE, None for any other.

    Examples
    --------
    >>> split_system("GPT: mini: 0-shot"), split_system("PENS-NAML T1"), split_system("Zephyr: 3-shot")
    (('GPT: mini', '0-shot'), None, None)
    """
    found = model_and_style(system)
    return found if found and found[0] and found[1] in STYLES else None


def is_styled(system: str) -> bool:
    """Whether a system is named MODEL: STYLE, by a style that there is.

    Examples
    --------
    >>> is_styled("Zephyr: 0-shot"), is_styled("PENS-NAML T1"), is_styled("Zephyr: 3-shot")
    (True, False, False)
    """
    return split_system(system) is not None


def is_adversarial(system: str) -> bool:
    """Whether a system is named MODEL: STYLE, random User2.

    Examples
    --------
    >>> is_adversarial("Zephyr: C-0-shot, random User2"), is_adversarial("Zephyr: C-0-shot")
    (True, False)
    """
    return system.endswith(ADVERSARIAL) and is_styled(system.removesuffix(ADVERSARIAL))


def styled_name(model: str, style: str, *, adversarial: bool = False, examples: int = 2) -> str:
    """The name of the system that a model is with prompts of a style; `SHOTS` say their number of examples.

    Examples
    --------
    >>> styled_name("Zephyr", "C-0-shot", adversarial=True)
    'Zephyr: C-0-shot, random User2'
    >>> styled_name("Zephyr", "k-shot", examples=4), styled_name("Zephyr", "dialogue", examples=1)
    ('Zephyr: k-shot, 4 examples', 'Zephyr: dialogue, 1 example')
    """
    if style in SHOTS:
        return f"{model}: {style}, {examples} example{'s' if examples > 1 else ''}"
    return f"{model}: {style}{ADVERSARIAL if adversarial else ''}"
