"""A report as what papers are made of: spreadsheet, LaTeX tables, methods and references, one PDF."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "files": ["Content", "FILES", "ReportFile"],
        "long_form": ["report_json"],
        "making": ["MadeReport", "make_report"],
        "papers": ["PAPER_TABLES", "PaperTable", "render_paper"],
        "users_report": ["Findings"],
    },
)
