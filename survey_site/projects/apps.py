from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "survey_site.projects"
    label = "projects"
