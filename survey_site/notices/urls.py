from django.urls import path

from survey_site.notices import views

app_name = "notices"
urlpatterns = [
    path("", views.notice_list, name="list"),
    path("read/", views.read_all, name="read-all"),
    path("<int:pk>/", views.follow, name="follow"),
]
