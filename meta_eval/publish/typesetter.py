"""A program that typesets one document and ends: JSON from standard input, PDF to standard output.

    python -P typesetter.py < given.json > made.pdf

The compiler remembers what it made of the last ten documents, some 200 to 500 MB each, for as long as its
process lives. So it has a process of its own, and a web server or worker stays as small as it was.

given: `template`, the source; `content`, which the template reads; `standard`, of PDF, which is left out for
a document with a letter that no font has; `system_fonts`, whether the machine's fonts are used.
"""

import json
import sys
from typing import Any

import typst

NO_FONT = "could not be displayed"
"""What the compiler says of a letter that no font has."""


def main() -> None:
    given = json.load(sys.stdin.buffer)
    try:
        made = _typeset(given, pdf_standards=[given["standard"]])
    except typst.TypstError as error:
        if NO_FONT not in str(error):
            sys.exit(str(error))
        made = _typeset(given)
    sys.stdout.buffer.write(made)


def _typeset(given: dict[str, Any], **options: Any) -> bytes:
    made: bytes = typst.compile(
        given["template"].encode(),
        sys_inputs={"content": given["content"]},
        ignore_system_fonts=not given["system_fonts"],
        **options,
    )
    return made


if __name__ == "__main__":
    main()
