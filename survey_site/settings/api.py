"""Django's settings of the programming interface: tokens alone let in, and its schema."""

REST_FRAMEWORK = {
    "EXCEPTION_HANDLER": "survey_site.api.errors.raise_as_ours",
    "DEFAULT_AUTHENTICATION_CLASSES": ["survey_site.api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["survey_site.api.authentication.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["survey_site.api.forms_of_answers.StrictJsonParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Concord",
    "DESCRIPTION": "Surveys of how similar texts are, and reports on metrics of personalised summarisation.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "survey_site.api.schema.add_problems",
    ],
    "GET_LIB_DOC_EXCLUDES": "survey_site.api.schema.bases_without_words",
    "ENUM_NAME_OVERRIDES": {
        "BatchState": "survey_site.api.shapes.batches.STATES",
        "KindOfRun": "survey_site.scoring.models.RunKind",
        "KindOfThing": "survey_site.keeping.things.KINDS_TOLD",
        "KindOfTable": "survey_site.api.shapes.reports.PUBLISHED_KINDS",
        "KindOfNotice": "survey_site.notices.models.NoticeKind",
        "JobState": "survey_site.scoring.models.JobStatus",
    },
    "DISABLE_ERRORS_AND_WARNINGS": False,
}
