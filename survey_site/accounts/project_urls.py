from django.urls import path

from survey_site.accounts import project_views

app_name = "projects"
urlpatterns = [
    path("", project_views.index, name="list"),
    path("shown/", project_views.show, name="show"),
    path("<int:pk>/", project_views.detail, name="detail"),
    path("<int:pk>/members/", project_views.change_member, name="members"),
    path("<int:pk>/delete/", project_views.delete, name="delete"),
]
