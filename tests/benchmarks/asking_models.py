"""How much faster are questions answered when several are asked at once?

    python -m tests.benchmarks.asking_models --questions 200 --delay 0.05

A scripted server on this machine answers each request after a delay, in a thread of its own; the same
questions go to it one at a time and eight at a time, in turn, three times over. Printed: seconds of each run,
and how many times as fast eight are (best against best).
"""

import argparse
import time

from meta_eval.llm.asking import ask
from tests.factories.llm_server import model_server
from tests.meta_eval.llm.questions import http_model, judge, question


def seconds(url_of: object, questions: int, concurrent: int) -> float:
    """Seconds for all the questions with so many at once."""
    model = http_model(url_of, concurrent=concurrent)
    begun = time.perf_counter()
    answers = list(ask([question(number) for number in range(questions)], model))
    elapsed = time.perf_counter() - begun
    model.close()
    assert all(answer.reason is None for answer in answers)
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--delay", type=float, default=0.05)
    asked = parser.parse_args()
    with model_server(judge, before=lambda: time.sleep(asked.delay)) as server:
        runs = [(many, seconds(server, asked.questions, many)) for _ in range(3) for many in (1, 8)]
    for many, elapsed in runs:
        print(f"{many} at once: {elapsed:.2f} s")  # noqa: T201
    best = {many: min(elapsed for number, elapsed in runs if number == many) for many in (1, 8)}
    print(f"8 at once are {best[1] / best[8]:.1f} times as fast as 1")  # noqa: T201


if __name__ == "__main__":
    main()
