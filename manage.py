#!/usr/bin/env python
"""Django's command line for Concord's web site."""

import os
import sys

INTERRUPTED = 130
"""Exit status after Ctrl-C, as of a shell."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "survey_site.settings")
    try:
        # Django and the site take seconds to load: a Ctrl-C meanwhile ends quietly, too.
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
