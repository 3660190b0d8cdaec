"""Counts and durations of a service as Prometheus reads them."""

from bisect import bisect_left

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Metrics:
    """Counters of one process: answers by status, and how long they took."""

    def __init__(self) -> None:
        self._answers: dict[int, int] = {}
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0

    def count(self, status: int, seconds: float) -> None:
        """Takes note of one answer."""
        self._answers[status] = self._answers.get(status, 0) + 1
        self._buckets[bisect_left(BOUNDS, seconds)] += 1
        self._seconds += seconds

    def text(self, gauges: dict[str, float]) -> str:
        """Everything in Prometheus' text format."""
        lines = ["# TYPE ncs_answers_total counter"]
        for status, count in sorted(self._answers.items()):
            lines.append(f'ncs_answers_total{{status="{status}"}} {count}')
        lines.append("# TYPE ncs_answer_seconds histogram")
        total = 0
        for bound, count in zip((*BOUNDS, "+Inf"), self._buckets, strict=True):
            total += count
            lines.append(f'ncs_answer_seconds_bucket{{le="{bound}"}} {total}')
        lines += [
            f"ncs_answer_seconds_sum {self._seconds:.6f}",
            f"ncs_answer_seconds_count {total}",
        ]
        for name, value in gauges.items():
            lines += [f"# TYPE ncs_{name} gauge", f"ncs_{name} {value:g}"]
        return "\n".join(lines) + "\n"
