from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "survey_site.studies"
    label = "studies"
