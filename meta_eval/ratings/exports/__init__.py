"""What annotation tools export, as rows of a table of ratings: Label Studio and Potato."""

from meta_eval.ratings.exports.label_studio import read_label_studio
from meta_eval.ratings.exports.potato import read_potato
from meta_eval.ratings.exports.taking import ExportedRatings, Taking

__all__ = ["ExportedRatings", "Taking", "read_label_studio", "read_potato"]
