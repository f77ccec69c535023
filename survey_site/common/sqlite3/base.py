"""Django's SQLite backend, with a queue in front of its one writer (`queue` says why)."""

from typing import Any

from django.db.backends.sqlite3 import base

from survey_site.common.sqlite3.queue import WriterQueue, writer_queue


class DatabaseWrapper(base.DatabaseWrapper):
    """Every transaction queues before it begins and leaves when it has ended, however it ends."""

    _place: WriterQueue | None = None

    def _start_transaction_under_autocommit(self) -> None:
        if not self.is_in_memory_db():  # that is this connection's alone
            place = writer_queue(str(self.settings_dict["NAME"]))
            place.enter(timeout=self.settings_dict["OPTIONS"].get("timeout", 5.0))
            self._place = place
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> Any:
        super()._commit()  # type: ignore[misc]  # where it fails, Django rolls back
        self._leave()

    def _rollback(self) -> Any:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> Any:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave()

    def _leave(self) -> None:
        if self._place:
            place, self._place = self._place, None
            place.leave()
