"""Limits hold before and while models are asked, over runs too; retries count and wait for their turn."""

import pytest

from meta_eval.llm.asking import Asking, estimate
from meta_eval.llm.limits import Budget, Limits, Price, StoppedError, Usage
from meta_eval.llm.replies import ReplyStore
from tests.factories.llm_server import Play, model_server
from tests.meta_eval.llm.questions import Naps, http_model, judge, question


def test_retries_count_and_wait_for_their_turn():
    def script(body, times):
        return [Play(status=503), Play(fault="hang"), Play('{"score": 3}')][times]

    waits = Naps()
    with model_server(script) as server:
        model = http_model(server, concurrent=1)
        budget = Budget(Limits(per_minute=60), clock=lambda: 0.0, sleep=waits)
        list(Asking([question(1)], model, budget=budget))
        prompt = model.count_tokens(question(1).request.messages)
        model.close()
        assert (budget.usage.requests, server.requests, waits) == (3, 3, [1.0, 2.0])
        sent = len(server.seen.bodies[0]) // 4
        assert (
            budget.usage.prompt_tokens == prompt + sent
        )  # of the send that was lost, as of the one answered
        assert budget.usage.completion_tokens == 32 + 3
        server.seen.counts.clear()
        model = http_model(server, concurrent=1)
        with pytest.raises(StoppedError, match=r"limit of 2 \(requests\) is reached after 2 requests"):
            list(Asking([question(1)], model, budget=Budget(Limits(requests=2))))
        model.close()
    assert server.requests == 5


def test_limits_hold_before_and_while_asking(tmp_path):
    questions = [question(number) for number in range(10)]
    with model_server(judge) as server:
        model = http_model(server, concurrent=1)
        with pytest.raises(StoppedError, match="Nothing was sent"):
            list(Asking(questions, model, budget=Budget(Limits(tokens=100))))
        with pytest.raises(StoppedError, match="cost"):
            list(Asking(questions, model, budget=Budget(Limits(cost=1e-6), Price(1, 1))))
        assert server.requests == 0
        model.close()

    def unreadable(body, times):
        return Play("no")

    with model_server(unreadable) as server:
        model = http_model(server, concurrent=1)
        kept = ReplyStore(str(tmp_path)).of(model.options)
        with pytest.raises(StoppedError, match=r"limit of 12 \(requests\) is reached after 12 requests"):
            list(Asking(questions, model, kept=kept, budget=Budget(Limits(requests=12))))
        model.close()
    assert server.requests == 12
    assert estimate(questions, model, ReplyStore(str(tmp_path)).of(model.options)).new == 4


def test_limits_hold_over_runs_that_share_a_budget_and_count_what_was_used_before():
    with model_server(judge) as server:
        model = http_model(server, concurrent=1)
        budget = Budget(Limits(requests=15), used=Usage(3, 40, 2))
        assert len(list(Asking([question(number) for number in range(8)], model, budget=budget))) == 8
        with pytest.raises(StoppedError) as error:
            list(Asking([question(number) for number in range(20, 25)], model, budget=budget))
        model.close()
    assert (server.requests, budget.usage.requests) == (8, 11)
    assert str(error.value) == (
        "11 (requests) are used, and what comes next may take 5 more: together that is above the limit of "
        "15. None of that was sent. What was answered is kept where a store is named: raise the limit and "
        "call again to go on."
    )


def test_requests_are_spaced_as_the_pace_asks():
    now = [0.0]

    def sleep(seconds):
        now[0] += seconds

    with model_server(judge) as server:
        model = http_model(server, concurrent=1)
        budget = Budget(Limits(per_minute=30), clock=lambda: now[0], sleep=sleep)
        for some in (range(2), range(2, 4)):
            list(Asking([question(number) for number in some], model, budget=budget))
        model.close()
    assert now == [6.0]
    assert budget.usage.requests == 4
