"""The addresses of the interface."""

from django.urls import path

from survey_site.api import (
    acting_views,
    asking_views,
    batches_views,
    corpora_views,
    drafting_views,
    files_views,
    keeping_views,
    models_views,
    ratings_views,
    reference_views,
    reports_views,
    webhooks_views,
)

app_name = "api"
RUN = "batches/<int:pk>/models/<int:run>/"
urlpatterns = [
    path("", reference_views.reference, name="reference"),
    path("schema/", reference_views.Schema.as_view(), name="schema"),
    path("projects/", corpora_views.Projects.as_view(), name="projects"),
    path("corpora/", corpora_views.corpora, name="corpora"),
    path("corpora/<int:pk>/", corpora_views.OneCorpus.as_view(), name="corpus"),
    path("corpora/<int:pk>/distances/", files_views.distances, name="distances"),
    path(
        "corpora/<int:pk>/distances/<int:distances>/",
        files_views.OneDistances.as_view(),
        name="one-distances",
    ),
    path("uploads/", files_views.uploads, name="uploads"),
    path("batches/", acting_views.Batches.as_view(), name="batches"),
    path("batches/<int:pk>/", drafting_views.OneBatch.as_view(), name="batch"),
    path("batches/<int:pk>/plan/", batches_views.Plan.as_view(), name="plan"),
    path("batches/<int:pk>/preview/", drafting_views.Preview.as_view(), name="preview"),
    path("batches/<int:pk>/checks/", batches_views.Checks.as_view(), name="checks"),
    path("batches/<int:pk>/progress/", batches_views.Progress.as_view(), name="progress"),
    path("batches/<int:pk>/questionnaires/", batches_views.Questionnaires.as_view(), name="questionnaires"),
    path("batches/<int:pk>/ratings/", ratings_views.Ratings.as_view(), name="ratings"),
    path("batches/<int:pk>/raters/", batches_views.Raters.as_view(), name="raters"),
    path("batches/<int:pk>/exclusions/", acting_views.Exclusions.as_view(), name="exclusions"),
    path(
        "batches/<int:pk>/exclusions/<int:exclusion>/", acting_views.OneExclusion.as_view(), name="exclusion"
    ),
    path("batches/<int:pk>/launch/", acting_views.Launch.as_view(), name="launch"),
    path("batches/<int:pk>/pause/", acting_views.Pause.as_view(), name="pause"),
    path("batches/<int:pk>/resume/", acting_views.Resume.as_view(), name="resume"),
    path("batches/<int:pk>/extend/", acting_views.Extend.as_view(), name="extend"),
    path("batches/<int:pk>/window/", drafting_views.Window.as_view(), name="window"),
    path("batches/<int:pk>/primary/", drafting_views.Primary.as_view(), name="primary"),
    path("batches/<int:pk>/close/", acting_views.Close.as_view(), name="close"),
    path("batches/<int:pk>/freeze/", acting_views.Freeze.as_view(), name="freeze"),
    path("batches/<int:pk>/panel-events/", webhooks_views.PanelEvents.as_view(), name="panel-events"),
    path("models/", models_views.Models.as_view(), name="models"),
    path("batches/<int:pk>/models/", models_views.ModelRuns.as_view(), name="model-runs"),
    path("batches/<int:pk>/models/plan/", models_views.PlanModels.as_view(), name="plan-models"),
    path(RUN, models_views.OneModelRun.as_view(), name="model-run"),
    path(
        "batches/<int:pk>/models/<int:run>/cancel/",
        models_views.CancelModelRun.as_view(),
        name="cancel-model",
    ),
    path(
        "batches/<int:pk>/models/<int:run>/retry/", models_views.RetryModelRun.as_view(), name="retry-model"
    ),
    path(
        "batches/<int:pk>/models/<int:run>/files/<str:file>",
        models_views.ModelFile.as_view(),
        name="model-file",
    ),
    path("keep/<slug:kind>/<int:pk>/", keeping_views.Kept.as_view(), name="kept"),
    path("keep/<slug:kind>/<int:pk>/archive/", keeping_views.Archive.as_view(), name="archive"),
    path("keep/<slug:kind>/<int:pk>/take-out/", keeping_views.TakeOut.as_view(), name="take-out"),
    path("webhooks/", webhooks_views.Webhooks.as_view(), name="webhooks"),
    path("webhooks/<int:pk>/", webhooks_views.OneWebhook.as_view(), name="webhook"),
    path("webhooks/<int:pk>/test/", webhooks_views.SendTest.as_view(), name="test-webhook"),
    path("webhooks/<int:pk>/rotate/", webhooks_views.RotateWebhook.as_view(), name="rotate-webhook"),
    path("webhooks/<int:pk>/deliveries/", webhooks_views.Deliveries.as_view(), name="deliveries"),
    path(
        "webhooks/<int:pk>/deliveries/<int:delivery>/replay/",
        webhooks_views.ReplayDelivery.as_view(),
        name="replay-delivery",
    ),
    path("score-runs/", asking_views.ScoreRuns.as_view(), name="score-runs"),
    path("score-runs/<int:pk>/", reports_views.OneScoreRun.as_view(), name="score-run"),
    path("score-runs/<int:pk>/cancel/", asking_views.CancelRun.as_view(), name="cancel-run"),
    path("score-runs/<int:pk>/retry/", asking_views.RetryRun.as_view(), name="retry-run"),
    path("reports/", asking_views.Reports.as_view(), name="reports"),
    path("reports/<int:pk>/", reports_views.OneReport.as_view(), name="report"),
    path("reports/<int:pk>/retry/", asking_views.Retry.as_view(), name="retry"),
    path("reports/<int:pk>/files/", reports_views.Files.as_view(), name="files"),
    path(f"reports/<int:pk>/files/{reports_views.BUNDLE}", reports_views.Bundle.as_view(), name="bundle"),
    path("reports/<int:pk>/files/<path:address>", reports_views.OneFile.as_view(), name="file"),
]
