from django.apps import AppConfig


class RehearsalConfig(AppConfig):
    name = "survey_site.rehearsal"
    label = "rehearsal"
