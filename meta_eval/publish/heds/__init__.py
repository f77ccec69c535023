"""The Human Evaluation Datasheet of a study, filled in as far as its report knows the answers."""

from meta_eval.publish.heds.answers import Entry, fill_datasheet
from meta_eval.publish.heds.facts import DatasheetAnswer
from meta_eval.publish.heds.form import QUESTIONS, SECTIONS, SOURCE, DatasheetQuestion
from meta_eval.publish.heds.writing import datasheet_json, datasheet_markdown

__all__ = [
    "QUESTIONS",
    "SECTIONS",
    "SOURCE",
    "DatasheetAnswer",
    "DatasheetQuestion",
    "Entry",
    "datasheet_json",
    "datasheet_markdown",
    "fill_datasheet",
]
