"""A file that is the body of a request: read in pieces into a file of ours, up to the limit of uploads."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from tempfile import NamedTemporaryFile

from rest_framework.request import Request

from survey_site.api.forms_of_answers import suffix_of
from survey_site.common.errors import InvalidInputError, TooLargeError
from survey_site.common.uploading import too_large, upload_limit
from survey_site.corpus.files import known_ending

PIECE = 1 << 20
MOST_LETTERS = 200


@dataclass(frozen=True)
class SentFile:
    """Where the file lies, what it is called and the hash of its content."""

    path: str
    name: str
    content_hash: str


@contextmanager
def sent_file(request: Request, *, command: str, stem: str = "corpus") -> Iterator[SentFile]:
    """The body of the request as a file that is gone afterwards. Raises TooLargeError past the limit.

    command: the one on the server that takes larger files; stem: what a file without a name is called.
    """
    name = PurePath(request.query_params.get("file", "")).name[:MOST_LETTERS]
    name = name or f"{stem}{suffix_of(request)}"
    with NamedTemporaryFile(suffix=known_ending(name)) as file:
        size, hashed = 0, hashlib.sha256()
        body = request.data  # an empty body is no stream
        while piece := body.read(PIECE) if hasattr(body, "read") else b"":
            size += len(piece)
            if size > upload_limit():
                raise TooLargeError(too_large(size, command))
            hashed.update(piece)
            file.write(piece)
        if not size:
            raise InvalidInputError(
                "The request has no body.", action="Send the file as the body, with its Content-Length."
            )
        file.flush()
        yield SentFile(file.name, name, hashed.hexdigest())
