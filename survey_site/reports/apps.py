from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "survey_site.reports"
    label = "reports"
