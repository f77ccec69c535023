"""A small Chinese corpus of real sentences, a system that copies, and one that writes one text for all."""

import json

from tests.meta_eval.measures.languages import sentences

FIXED = "所有人都是自由的"


def chinese_lines(*, language="zh", digits=""):
    """Consolidated JSONL; `digits` stand before each text."""
    first, second = sentences("zh")
    lines = []
    for number in range(3):
        texts = (first[number:], second[number:], first[: 8 + number] + second[3 + number :])
        readers = {
            name: {
                "user": digits + text,
                "copycat": digits + text,
                "every-second": digits + text[::2],
                "fixed": digits + FIXED,
            }
            for name, text in zip(("ann", "bob", "eve"), texts, strict=True)
        }
        record = {"doc_id": f"d{number}", "doc_text": first + second, "doc_summ": "人权"}
        named = {"lang": language} if language else {}
        lines.append(json.dumps({**record, "m_summary_dict": readers, **named}, ensure_ascii=False))
    return "\n".join(lines)


def chinese_ratings():
    """Of one rater: references and their copies are unlike each other, the fixed text is always alike."""
    rows = ["doc_id,system,reader_a,reader_b,rater,rating"]
    for number in range(3):
        for one, other in (("ann", "bob"), ("ann", "eve"), ("bob", "eve")):
            rows += [
                f"d{number},{system},{one},{other},p,{rating}"
                for system, rating in (("user", 2), ("copycat", 2), ("every-second", 3), ("fixed", 6))
            ]
    return "\n".join(rows)
