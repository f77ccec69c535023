from django.urls import path

from survey_site.survey.pages import entry_views, views

app_name = "survey"
urlpatterns = [
    path("<str:token>/", entry_views.join, name="join"),
    path("<str:token>/start/", entry_views.start, name="start"),
    path("<str:token>/language/", entry_views.choose_language, name="language"),
    path("<str:token>/declined/", entry_views.declined, name="declined"),
    path("<str:token>/about-you/", entry_views.about, name="about"),
    path("<str:token>/practice/", entry_views.practice, name="practice"),
    path("<str:token>/i/<str:code>/", entry_views.invited, name="invited"),
    path("<str:token>/leave/", views.leave, name="leave"),
    path("<str:token>/leave/stop/", views.stop, name="stop"),
    path("<str:token>/leave/withdraw/", views.withdraw, name="withdraw"),
    path("<str:token>/done/", views.done, name="done"),
    path("<str:token>/q/<str:code>/", views.questionnaire, name="questionnaire"),
    path("<str:token>/q/<str:code>/rate/", views.rate, name="rate"),
]
