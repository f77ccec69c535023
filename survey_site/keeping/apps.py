from django.apps import AppConfig


class KeepingConfig(AppConfig):
    name = "survey_site.keeping"
    label = "keeping"
