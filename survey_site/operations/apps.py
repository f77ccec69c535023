from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "survey_site.operations"
    label = "operations"
