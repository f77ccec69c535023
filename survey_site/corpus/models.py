"""A corpus as rows: documents, readers, gold references, systems, summaries. Never changed once imported."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse


class Corpus(models.Model):
    """One imported corpus. `content_hash` is that of the content, whatever file format it came in.

    A project has the same content once; two projects each have their own, and neither learns of the other's.
    """

    name = models.CharField(max_length=200)
    project = models.ForeignKey("projects.Project", on_delete=models.PROTECT, related_name="corpora")
    content_hash = models.CharField(max_length=64, editable=False)
    source = models.CharField(max_length=500, blank=True, help_text="Format and files it was read from.")
    language = models.CharField(
        max_length=35, blank=True, help_text="BCP 47 tag of its texts, where a document names none."
    )
    notes = models.JSONField(default=list, blank=True, help_text="What the import settled or left out.")
    document_characters = models.FloatField(
        default=0, editable=False, help_text="Mean length of a document, title and body."
    )
    reference_characters = models.FloatField(
        default=0, editable=False, help_text="Mean length of a reference."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "corpora"
        constraints = [
            models.UniqueConstraint(fields=["content_hash", "project"], name="corpus_once_in_project"),
            models.CheckConstraint(condition=~Q(name=""), name="corpus_corpus_named"),
            models.CheckConstraint(condition=~Q(content_hash=""), name="corpus_corpus_hashed"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("corpus:detail", args=[self.pk])


class Document(models.Model):
    """A text that readers and systems summarise; `key` is its id in the imported files."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    title = models.TextField(blank=True)
    body = models.TextField(blank=True)
    language = models.CharField(max_length=35, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "key"], name="corpus_document_key"),
            models.UniqueConstraint(fields=["corpus", "position"], name="corpus_document_position"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def text_language(self) -> str:
        """The language of its texts; empty where nobody said."""
        return self.language or self.corpus.language


class Reader(models.Model):
    """A person who wrote gold references."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="readers", db_index=False)
    key = models.CharField(max_length=200)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["corpus", "key"], name="corpus_reader_key")]

    def __str__(self) -> str:
        return self.key


class System(models.Model):
    """A summarizer. `generated`: how a language model wrote its texts, as `generate` recorded it, or None."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    generated = models.JSONField(null=True, default=None, editable=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "name"], name="corpus_system_name"),
            models.UniqueConstraint(fields=["corpus", "position"], name="corpus_system_position"),
        ]

    def __str__(self) -> str:
        return self.name


class Reference(models.Model):
    """The gold reference of one reader for one document."""

    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, related_name="references", db_index=False
    )  # the unique index begins with it
    reader = models.ForeignKey(Reader, on_delete=models.CASCADE, related_name="references")
    text = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["document", "reader"], name="corpus_reference_once"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id}/{self.reader_id}"


class Summary(models.Model):
    """What one system wrote about one document for one reader."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="summaries")
    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, related_name="summaries", db_index=False
    )  # the unique index begins with it
    reader = models.ForeignKey(Reader, on_delete=models.CASCADE, related_name="summaries", db_index=False)
    text = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "summaries"
        constraints = [
            models.UniqueConstraint(fields=["document", "system", "reader"], name="corpus_summary_once"),
        ]

    def __str__(self) -> str:
        return f"{self.system_id}/{self.document_id}/{self.reader_id}"
