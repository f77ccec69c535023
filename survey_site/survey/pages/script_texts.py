"""What the rating page's script says, in the language of the page; it has no words of its own."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext


@dataclass(frozen=True)
class ScriptTexts:
    """What the script says on a page of so many pairs."""

    pairs: int

    @property
    def words(self) -> dict[str, str | list[str]]:
        return script_texts(pairs=self.pairs)


def script_texts(*, pairs: int) -> dict[str, str | list[str]]:
    """The texts by name, with {..} where the script puts something in.

    missing[n - 1] is for n pairs without a rating. What waits for a connection is said in two sentences:
    what went wrong (offline.., busy..) and what becomes of it (kept.., open..), for saving and submitting.
    """
    return {
        "saving": _("Saving …"),
        "saved": _("Saved"),
        "submittedElsewhere": _(
            "Saved. You have submitted this questionnaire, in another tab it seems; what you change here "
            "replaces your answer."
        ),
        "notSaved": _("Not saved. {reason}"),
        "refused": _("This answer was refused."),
        "noConnection": _("There is no connection just now. Please try again later."),
        "offlineSave": _("Not saved yet: no connection."),
        "busySave": _("Not saved yet: the site is busy."),
        "offlineSubmit": _("Not submitted yet: no connection."),
        "busySubmit": _("Not submitted yet: the site is busy."),
        "keptSave": _("Your answers are kept in this browser and sent as soon as possible."),
        "openSave": _("Please keep this page open: your answers are sent as soon as possible."),
        "keptSubmit": _("Your answers are kept and submitted as soon as possible."),
        "openSubmit": _("Please keep this page open: your answers are submitted as soon as possible."),
        "next": _("Next: pair {number}"),
        "marked": _(", {count} not judged"),
        "between": pgettext("between several", ", "),
        "beforeLast": pgettext("before the last of several", " and "),
        "missing": [
            ngettext("Please rate pair {pairs} too.", "Please rate pairs {pairs} too.", count)
            for count in range(1, pairs + 1)
        ],
    }
