"""What the rating page's script says, in the language of the page; it has no words of its own."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def script_texts(*, pairs: int) -> dict[str, str | list[str]]:
    """The texts by name, with {..} where the script puts something in.

    missing[n - 1] is for n pairs without a rating.
    """
    return {
        "saving": _("Saving …"),
        "saved": _("Saved"),
        "notSaved": _("Not saved. {reason}"),
        "refused": _("This answer was refused."),
        "busyKept": _(
            "Not saved yet: the site is busy. Your answers are kept in this browser and are sent as soon "
            "as possible."
        ),
        "busyOpen": _(
            "Not saved yet: the site is busy. Your answers stay on this page and are sent as soon as "
            "possible."
        ),
        "offlineKept": _(
            "Not saved yet: no connection. Your answers are kept in this browser and are sent as soon as "
            "possible."
        ),
        "offlineOpen": _(
            "Not saved yet: no connection. Your answers stay on this page and are sent as soon as possible."
        ),
        "busyKeptSubmit": _(
            "Not saved yet: the site is busy. Your answers are kept in this browser and are sent and "
            "submitted as soon as possible."
        ),
        "busyOpenSubmit": _(
            "Not saved yet: the site is busy. Your answers stay on this page and are sent and submitted "
            "as soon as possible."
        ),
        "offlineKeptSubmit": _(
            "Not saved yet: no connection. Your answers are kept in this browser and are sent and "
            "submitted as soon as possible."
        ),
        "offlineOpenSubmit": _(
            "Not saved yet: no connection. Your answers stay on this page and are sent and submitted as "
            "soon as possible."
        ),
        "missing": [
            ngettext("Please rate pair {pairs} too.", "Please rate pairs {pairs} too.", count)
            for count in range(1, pairs + 1)
        ],
    }
