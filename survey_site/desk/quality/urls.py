from django.urls import path

from survey_site.desk import files_views
from survey_site.desk.quality import freeze_views, precision_views, views

app_name = "quality"
urlpatterns = [
    path("<int:pk>/quality/", views.detail, name="detail"),
    path("<int:pk>/quality/found/", views.found, name="found"),
    path("<int:pk>/quality/so-far/", views.so_far, name="so-far"),
    path("<int:pk>/quality/raters/<str:code>/", views.rater, name="rater"),
    path("<int:pk>/quality/exclusions/<int:exclusion>/undo/", views.undo, name="undo"),
    path("<int:pk>/precision/", precision_views.precision, name="precision"),
    path("<int:pk>/freeze/", freeze_views.freeze, name="freeze"),
    path("<int:pk>/freeze/asked/", freeze_views.freezing, name="freezing"),
    path("<int:pk>/freeze/flagged/", freeze_views.flagged, name="flagged"),
    path("<int:pk>/freeze/checked/", freeze_views.checked, name="checked"),
    path("<int:pk>/snapshot.json", files_views.file, {"name": "snapshot.json"}, name="snapshot"),
    path("<int:pk>/excluded.csv", files_views.file, {"name": "excluded.csv"}, name="excluded"),
]
