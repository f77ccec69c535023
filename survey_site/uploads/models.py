"""Where the ratings of a batch come from that nobody rated on this site."""

from django.conf import settings
from django.db import models

RATERS = "raters"
"""In `known` where the file says who rated; the papers' app keeps no raters."""


class Upload(models.Model):
    """The file behind a batch. `services` writes it once.

    key: hash of the file, its corpus and what was said of it, so that the same upload is one batch. known:
    the columns beyond a rating itself that every row of the file has, and `RATERS`; whatever stands in the
    rows of the others only fills their place, and `survey.rating_rows` never gives it out. renamed:
    the codes of raters whose names in the file cannot be codes here.
    """

    batch = models.OneToOneField("batches.Batch", on_delete=models.CASCADE, related_name="upload")
    key = models.CharField(max_length=64, unique=True, editable=False)
    file = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64)
    known = models.JSONField(default=list)
    renamed = models.JSONField(default=dict)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    uploaded_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.file}, ratings of batch {self.batch_id}"

    @property
    def knows_raters(self) -> bool:
        return RATERS in self.known

    @property
    def knows_times(self) -> bool:
        return "submitted_at" in self.known

    @property
    def knows_positions(self) -> bool:
        """Whether positions and sides of the pairs are known, which a test of positions needs."""
        return {"position", "flipped"} <= set(self.known)

    @property
    def described(self) -> str:
        """What is known of each rating besides its value, in words; empty where nothing is."""
        words = {RATERS: "rater", "position": "position", "flipped": "side", "submitted_at": "time"}
        *first, last = [word for name, word in words.items() if name in self.known] or [""]
        return f"{', '.join(first)} and {last}" if first else last
