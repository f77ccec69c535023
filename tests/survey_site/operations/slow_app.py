"""A WSGI application for a web server under test: one answer begins and does not end by itself."""

import os
from threading import Event


def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return _slowly() if environ["PATH_INFO"] == "/slow" else [str(os.getppid()).encode()]


def _slowly():
    yield b"begun"
    Event().wait(20)
    yield b"ended"
