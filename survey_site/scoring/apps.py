import logging
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings

log = logging.getLogger(__name__)
PLUGIN_ACTION = (
    "All else works without it. Mend the file, or take it out of CONCORD_PLUGINS, and restart site and "
    "workers."
)


class ScoringConfig(AppConfig):
    name = "survey_site.scoring"
    label = "scoring"

    def ready(self) -> None:
        from survey_site.scoring.rating_sets import forget_rater
        from survey_site.survey.rating.leaving import rater_withdrawn

        rater_withdrawn.connect(forget_rater, dispatch_uid="scoring.forget_rater")
        if settings.CONCORD_PLUGINS:
            from meta_eval.measures.added import install_files

            for one in install_files(map(Path, settings.CONCORD_PLUGINS)):
                log.error("%s %s", one.reason, PLUGIN_ACTION)
