from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "survey_site.common"
    label = "common"
