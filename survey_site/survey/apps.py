from django.apps import AppConfig


class SurveyConfig(AppConfig):
    name = "survey_site.survey"
    label = "survey"
    default_auto_field = "django.db.models.BigAutoField"
