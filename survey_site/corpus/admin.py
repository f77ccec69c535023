from django.contrib import admin

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System


@admin.register(Corpus)
class CorpusAdmin(ReadOnlyAdmin):
    list_display = ("name", "content_hash", "source", "created_at", "created_by")


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ("key", "title", "corpus")
    list_filter = ("corpus",)
    search_fields = ("key", "title")


@admin.register(Reader)
class ReaderAdmin(ReadOnlyAdmin):
    list_display = ("key", "corpus")
    list_filter = ("corpus",)


@admin.register(System)
class SystemAdmin(ReadOnlyAdmin):
    list_display = ("name", "corpus")
    list_filter = ("corpus",)


@admin.register(Reference, Summary)
class TextAdmin(ReadOnlyAdmin):
    list_display = ("document", "reader", "text")
    list_filter = ("document__corpus",)
    list_select_related = ("document", "reader")
