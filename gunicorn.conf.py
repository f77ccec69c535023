"""What every gunicorn of the site does; gunicorn reads this file in the folder where it starts.

The log of its master is the site's. Each worker ends with its master, however that ends: an orphan would keep
the port, and a new master could not start.
"""

import ctypes
import os
import signal
import sys
from typing import Any

from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "survey_site.settings")
logconfig_dict = settings.LOGGING
# Nobody steers it by a socket, for which it would need a home folder that takes files.
control_socket_disable = True
_PR_SET_PDEATHSIG = 1


def post_worker_init(worker: Any) -> None:
    """Have the kernel end this worker when its master is gone; on other systems gunicorn looks for itself.

    At once, and not when its requests are done, for which gunicorn waits half a minute with the port open: a
    request that is cut was not acknowledged, and every browser sends it again. Here and not after the fork,
    for the kernel forgets it where the worker then becomes another user.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != worker.ppid:  # it went before the kernel knew
        worker.log.warning("The master is gone; this worker ends.")
        os._exit(1)
