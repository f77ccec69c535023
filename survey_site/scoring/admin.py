from django.contrib import admin

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.scoring.models import GivenDistances, RatingSet, ScoreRun, ScoreShard


@admin.register(ScoreRun)
class ScoreRunAdmin(ReadOnlyAdmin):
    list_display = (
        "measure",
        "kind",
        "corpus",
        "batch",
        "status",
        "done",
        "total",
        "created_at",
        "finished_at",
    )
    list_filter = ("kind", "status", "measure")
    list_select_related = ("corpus", "batch")


@admin.register(ScoreShard)
class ScoreShardAdmin(ReadOnlyAdmin):
    list_display = ("run", "number", "status", "queue", "worker", "pairs", "started_at", "finished_at")
    list_filter = ("status", "queue")
    list_select_related = ("run",)


@admin.register(RatingSet)
class RatingSetAdmin(ReadOnlyAdmin):
    list_display = ("content_hash", "batch", "created_at")
    list_select_related = ("batch",)


@admin.register(GivenDistances)
class GivenDistancesAdmin(ReadOnlyAdmin):
    list_display = ("name", "corpus", "pairs", "created_at", "removed_at")
    list_select_related = ("corpus",)
    exclude = ("book",)
