from django.urls import path

from survey_site.batches import extending_views, views

app_name = "batches"
urlpatterns = [
    path("", views.batch_index, name="list"),
    path("new/", views.new, name="new"),
    path("effort/", views.effort, name="effort"),
    path("<int:pk>/", views.monitor, name="monitor"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/delete/", views.delete, name="delete"),
    path("<int:pk>/launch/", views.launch, name="launch"),
    path("<int:pk>/progress/", views.progress, name="progress"),
    path("<int:pk>/pause/", views.pause, name="pause"),
    path("<int:pk>/resume/", views.resume, name="resume"),
    path("<int:pk>/extend/", views.extend, name="extend"),
    path("<int:pk>/window/", views.window, name="window"),
    path("<int:pk>/documents/", extending_views.documents, name="documents"),
    path("<int:pk>/close/", views.close, name="close"),
]
