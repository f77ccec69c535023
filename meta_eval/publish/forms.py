"""As what the files of a report are asked for."""

from typing import Literal

Form = Literal["json", "csv", "xlsx", "latex", "methods", "datasheet", "figures", "pdf", "papers", "bundle"]
"""As what files are asked for."""
