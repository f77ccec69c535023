from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "survey_site.api"
    label = "api"
