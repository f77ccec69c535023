"""Addresses of what a report gives to take away, and of reports side by side."""

from django.urls import path

from survey_site.reports import export_views as views
from survey_site.reports.comparison_views import compare

urlpatterns = [
    path("compare/", compare, name="compare"),
    path("<int:pk>/bundle.zip", views.bundle, name="bundle"),
    path("<int:pk>/report.pdf", views.pdf, name="pdf"),
    *(
        path(f"<int:pk>/{file}", views.file, {"name": file}, name=name)
        for file, name in (
            ("report.xlsx", "xlsx"),
            ("tables.zip", "tables"),
            ("methods.md", "methods"),
            ("methods.tex", "methods-latex"),
            ("references.bib", "references"),
        )
    ),
    *(
        path(f"<int:pk>/{file}", views.latex, {"name": file}, name=name)
        for file, name in (("tables.tex", "latex"), ("document.tex", "latex-document"))
    ),
    *(
        path(f"<int:pk>/{file}", views.datasheet, {"name": file}, name=name)
        for file, name in (("datasheet.md", "datasheet"), ("datasheet.json", "datasheet-json"))
    ),
    path("<int:pk>/tables/<slug:name>.csv", views.table, name="table"),
    path("<int:pk>/figures/<slug:name>.<slug:form>", views.figure, name="figure-file"),
]
