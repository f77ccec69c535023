"""Settings of the web site. `table` declares what a deployment may set; `base` puts it to use.

`survey_site.settings.test` lies below this package, so a test run imports this file too; what an installation
needs on its disk is made for `survey_site.settings` alone.
"""

from survey_site.settings.base import *  # noqa: F403
