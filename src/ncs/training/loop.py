"""A training run: checkpoint, evaluate, step, and again, until it is done or told to end.

Only process 0 writes. It also decides when to end, and tells the others before each step.
"""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from ncs.data.buffer import Buffer
from ncs.model.contract import Trainable, WorldModel
from ncs.training.callback import Callback, Ended, Outcome, Progress
from ncs.training.checkpoint import Snapshot, write_checkpoint
from ncs.training.collapse import collapse_reason
from ncs.training.interrupts import Interrupted, Interrupts, watch_backward
from ncs.training.journal import EVALUATED, Journal
from ncs.training.learner import DivergenceError, Learner, cut_batches, new_model
from ncs.training.pictures import clip_rows, draw_sheet
from ncs.training.preparation import prepare_all, turned
from ncs.training.schedule import TrainConfig, torch_seed, torch_seeded
from ncs.training.sources import Sources
from ncs.training.team import Team


class Run:
    """A run under way in one process."""

    def __init__(
        self,
        team: Team,
        config: TrainConfig,
        buffers: Sequence[Buffer],
        out: Path,
        snapshot: Snapshot | None,
        callback: Callback,
    ) -> None:
        self.team, self.config, self.out = team, config, out
        self.sources = Sources(config, buffers)
        self.callback = callback
        self.leads = team.leads
        self.learner = Learner(new_model(config), config, team)
        watch_backward(self.learner.parameters)
        self.notes: dict[str, Any] = {}
        self.saved_at = 0
        self.loss: float | None = None
        if snapshot:
            self.learner.restore(snapshot.step, snapshot.weights, snapshot.state, out)
            self.notes = dict(snapshot.notes)
            self.saved_at = snapshot.step
        if self.learner.step == 0:
            for line in prepare_all(self.learner.model, self.sources):
                if self.leads:
                    callback.note(line)

    def go(self, deadline: float) -> Outcome:
        """Trains until the end, a signal, or the monotonic clock's deadline."""
        began = time.monotonic()
        self.journal = Journal(self.out, self.learner.step) if self.leads else None
        if self.journal and not self.journal.has_board:
            self.callback.note(
                "TensorBoard is not installed (pip install 'ncs[figures]'), so figures go to "
                "metrics.jsonl alone"
            )
        try:
            with Interrupts() as self.interrupts:
                ended = self._loop(deadline)
        finally:
            if self.journal:
                self.journal.close()
        return Outcome(self.learner.step, ended, self.loss, time.monotonic() - began)

    def _loop(self, deadline: float) -> Ended:
        self.clock = _Clock(self.config, self.sources.n_frames[0])
        ended: Ended | None = None
        try:
            while self._go_on_together(deadline):
                self._advance()
        except Interrupted:
            ended = self._signal_name()
        except RuntimeError:
            # A signal reaches all processes: one may have left while another waited for it.
            if self.team.size == 1 or self.interrupts.received is None:
                raise
            ended = self._signal_name()
        if self.leads and self.learner.step != self.saved_at:
            self._save()
        return ended or ("finished" if self.learner.step == self.config.steps else "minutes")

    def _signal_name(self) -> Ended:
        assert self.interrupts.received is not None
        return cast(Ended, self.interrupts.received.name)

    def _go_on_together(self, deadline: float) -> bool:
        """Whether there is another step to take. Process 0 sees to its duties, then decides."""
        go_on = False
        try:
            if self.leads:
                self._save_if_due()
                self._evaluate_if_due()
                go_on = self.learner.step < self.config.steps and time.monotonic() < deadline
        finally:
            if self.team.size > 1:
                vote = torch.tensor(float(go_on), device=self.team.device)
                go_on = bool(self.team.sum(vote) > 0)
        return go_on

    def _advance(self) -> None:
        """One step: nothing changes before the gradient is whole and sound."""
        config, learner, step = self.config, self.learner, self.learner.step
        with self.interrupts.discardable():
            turn = self.sources.turn(step)
            share = config.shards // self.team.size
            mine = range(self.team.rank * share, (self.team.rank + 1) * share)
            size = config.batch // config.shards
            clips = turn.buffer.clips(turn.draw.index[mine.start * size : mine.stop * size])
            batches = cut_batches(config, clips, turn.draw, step, mine, self.team.device)
            with turned(learner.model, self.sources, turn.source):
                values = learner.gradient(batches)
        if not math.isfinite(values["loss"]):
            raise DivergenceError(
                f"step {step}: the loss is {values['loss']}; the checkpoint of step "
                f"{self.saved_at} is kept; lower the learning rate or train in 32-true"
            )
        rates = {group.name: learner.rate(group) for group in learner.groups}
        norm = learner.commit()
        self.loss = values["loss"]
        if self.journal:
            self._log({**values, "gradient_norm": norm, "rate": rates})

    def _log(self, values: Mapping[str, Any]) -> None:
        assert self.journal is not None
        step = self.learner.step
        progress = self.clock.tick(step, values["loss"])
        self.callback.progress(progress)
        if step % self.config.log_every == 0 or step == self.config.steps:
            finite = {n: v for n, v in values.items() if n == "rate" or math.isfinite(v)}
            self.journal.metrics(step, finite)
            self.journal.timing(step, {"frames_per_second": progress.frames_per_second})

    def _save_if_due(self) -> None:
        step = self.learner.step
        due = step == self.config.steps or (step and step % self.config.checkpoint_every == 0)
        if due and (step != self.saved_at or not step):  # a run of no steps is saved as well
            self._save()

    def _save(self) -> None:
        assert self.journal is not None
        self.journal.sync()
        snapshot = Snapshot(
            step=self.learner.step,
            config=self.config,
            buffer=self.sources.about(),
            weights=self.learner.weights(),
            state=self.learner.state(),
            notes=self.notes,
        )
        write_checkpoint(self.out, snapshot)
        self.saved_at = self.learner.step

    def _evaluate_if_due(self) -> None:
        config, step = self.config, self.learner.step
        last = step == config.steps
        if step % config.holdout_every == 0 or last:
            with self.learner.in_use() as model, self.interrupts.discardable():
                self._evaluate(model)
        if config.picture_clips and (step % config.picture_every == 0 or last):
            with self.learner.in_use() as model, self.interrupts.discardable():
                if isinstance(model, WorldModel):
                    self._draw(model)

    def _evaluate(self, model: Trainable) -> None:
        """Notes the loss on held-out clips, and stops a run whose slots stay collapsed."""
        clips = self.sources.view(self.config.holdout_clips)
        step, size = self.learner.step, self.config.batch // self.config.shards
        sums: dict[str, float] = {}
        masks, presences = [], []
        with torch_seeded(torch_seed(self.config, "holdout"), self.team.device) as generator:
            for first in range(0, len(clips.frame), size):
                frame = torch.from_numpy(clips.frame[first : first + size]).to(self.team.device)
                action = torch.from_numpy(clips.action[first : first + size])
                action = action.to(self.team.device)
                with self.team.autocast():
                    loss = model.loss(frame, action, step, generator)
                    if isinstance(model, WorldModel):
                        slots = model.follow(frame, action, model.trained_slots, generator)
                        masks.append(slots.mask.flatten(0, 1).float().cpu().numpy())
                        presences.append(slots.presence.flatten(0, 1).cpu().numpy())
                for name, value in {"loss": loss.total, **loss.parts}.items():
                    share = len(frame) / len(clips.frame)
                    sums[name] = sums.get(name, 0.0) + float(value) * share
        finite = {name: value for name, value in sums.items() if math.isfinite(value)}
        if self.journal and self.sources.holds_out:
            self.journal.metrics(step, {EVALUATED: finite})
        if masks:
            reason = collapse_reason(np.concatenate(masks), np.concatenate(presences))
            self._watch_collapse(reason)

    def _watch_collapse(self, reason: str | None) -> None:
        step = self.learner.step
        if reason is None:
            self.notes.pop("collapsed_since", None)
            return
        since = self.notes.setdefault("collapsed_since", step)
        patience = self.config.collapse_share * self.config.steps
        if patience and step - since >= patience:
            raise DivergenceError(
                f"step {step}: {reason}, and has been so since step {since}; try another seed, a "
                "lower learning rate or a longer warm-up (collapse_share 0 never stops)"
            )

    def _draw(self, model: WorldModel) -> None:
        assert self.journal is not None
        clips = self.sources.view(self.config.picture_clips)
        with torch_seeded(torch_seed(self.config, "picture"), self.team.device) as generator:
            rows = clip_rows(model, clips, model.trained_slots, generator)
        self.journal.picture(self.learner.step, draw_sheet(rows))


class _Clock:
    """Speed, smoothed over some fifty steps."""

    def __init__(self, config: TrainConfig, n_frames: int) -> None:
        self._frames = config.batch * (config.clip_frames or n_frames)
        self._steps = config.steps
        self._last = time.monotonic()
        self._seconds: float | None = None

    def tick(self, step: int, loss: float) -> Progress:
        """Progress after a step."""
        now = time.monotonic()
        passed, self._last = now - self._last, now
        before = passed if self._seconds is None else self._seconds
        self._seconds = before + 0.02 * (passed - before)
        return Progress(
            step,
            self._steps,
            loss,
            self._frames / max(self._seconds, 1e-9),
            (self._steps - step) * self._seconds,
        )
