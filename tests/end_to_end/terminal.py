"""Processes as a terminal starts them."""

import signal


def heed_ctrl_c() -> None:
    """For `preexec_fn`: a shell without job control lets what it starts in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
