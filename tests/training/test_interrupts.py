"""Signals: kept for later, or raised at once inside work that may be thrown away."""

import os
import signal
import threading

import pytest
import torch
from torch import nn

from ncs.training.interrupts import Interrupted, Interrupts, watch_backward


def test_a_signal_outside_discardable_work_is_only_remembered() -> None:
    with Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.received is signal.SIGTERM
        with pytest.raises(Interrupted), interrupts.discardable():
            pytest.fail("work was begun after a signal")


def test_a_signal_breaks_off_discardable_work_once() -> None:
    with Interrupts() as interrupts:
        with pytest.raises(Interrupted), interrupts.discardable():
            signal.raise_signal(signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)  # nothing is under way any more


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with Interrupts():
        assert signal.getsignal(signal.SIGTERM) != before[0]
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


def test_another_thread_may_use_it_without_signals() -> None:
    seen = []

    def work() -> None:
        with Interrupts() as interrupts, interrupts.discardable():
            seen.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


def test_a_backward_pass_can_be_broken_off() -> None:
    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(context, value):
            return value

        @staticmethod
        def backward(context, gradient):
            visits.append(1)
            if len(visits) == 2:
                os.kill(os.getpid(), signal.SIGTERM)
            return gradient

    visits: list[int] = []
    layers = [nn.Linear(4, 4) for _ in range(20)]
    value = torch.ones(1, 4)
    for layer in layers:
        value = Slow.apply(layer(value))
    watch_backward([p for layer in layers for p in layer.parameters()])
    with Interrupts() as interrupts, pytest.raises(Interrupted), interrupts.discardable():
        value.sum().backward()
    assert len(visits) < 20
