from pathlib import Path

from django.apps import AppConfig
from django.conf import settings


class ScoringConfig(AppConfig):
    name = "survey_site.scoring"
    label = "scoring"

    def ready(self) -> None:
        from survey_site.scoring.services import forget_rater
        from survey_site.survey.rating.leaving import rater_withdrawn

        rater_withdrawn.connect(forget_rater, dispatch_uid="scoring.forget_rater")
        if settings.CONCORD_PLUGINS:
            from meta_eval.measures.added import install_files

            install_files(map(Path, settings.CONCORD_PLUGINS))
