from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "survey_site.corpus"
    label = "corpus"
