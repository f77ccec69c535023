"""Where raters wait for each other, so that the moments that matter come about in every rehearsal."""

from collections.abc import Iterable
from threading import Condition, Event

GATE_SECONDS = 150.0


class Stopped(Exception):  # noqa: N818 - the person at the keyboard ended the rehearsal
    """The rehearsal is over; whoever waits gives up."""


class Gate:
    """Opens when everybody expected has arrived, or is known never to arrive."""

    def __init__(self, expected: Iterable[int]) -> None:
        self._missing = set(expected)
        self._changed = Condition()

    def arrive(self, number: int) -> None:
        with self._changed:
            self._missing.discard(number)
            self._changed.notify_all()

    def wait(self, stop: Event, seconds: float = GATE_SECONDS) -> None:
        """Until it opens; at most `seconds`, for a rehearsal must end whatever the site does."""
        with self._changed:
            for _ in range(int(seconds / 0.5)):
                if stop.is_set():
                    raise Stopped
                if self._changed.wait_for(lambda: not self._missing, 0.5):
                    return


class Stage:
    """The gates of one rehearsal, in their order.

    settled: everybody but the racers holds a first questionnaire. served: the crowd has found nothing left to
    do. vacated: the claims of those who stay away have run out. lined_up: the racers are at the button.
    raced: the racers were told who has a place.
    """

    def __init__(self, *, crowd: Iterable[int], absent: Iterable[int], racers: Iterable[int]) -> None:
        crowd, absent, racers = set(crowd), set(absent), set(racers)
        self.stop = Event()
        self.settled = Gate(crowd | absent)
        self.served = Gate(crowd)
        self.vacated = Gate(absent)
        self.lined_up = Gate(racers)
        self.raced = Gate(racers)
        self.gates = (self.settled, self.served, self.vacated, self.lined_up, self.raced)

    def leave(self, number: int) -> None:
        """Nobody waits any longer for this rater."""
        for gate in self.gates:
            gate.arrive(number)
