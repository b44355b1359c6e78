"""Results of many questions asked at once."""

from dataclasses import dataclass
from typing import Any, Final

from . import models
from ._operations import Answer
from .errors import ScheidsError, error_of, own_error

NAMES: Final = ("deal", "validate", "legal_moves", "play", "score", "view", "replay", "outcomes", "sample", "simulate")


@dataclass(frozen=True)
class Result:
    """What came of one question of many: an answer, or why there is none."""

    answer: Answer | None
    error: ScheidsError | None = None

    def get(self) -> Answer:
        """The answer; the error is raised where there is none."""
        if self.error is not None:
            raise self.error
        assert self.answer is not None  # noqa: S101 - one of the two is there
        return self.answer


def result_of(result: models.BatchResult) -> Result:
    """What a result says."""
    if result.error is not None:
        return Result(None, error_of(result.error))
    answer: Any = next((each for each in (getattr(result, name) for name in NAMES) if each is not None), None)
    if answer is None:
        return Result(None, own_error("UNREADABLE_ANSWER", "a result without an answer that this client can read"))
    return Result(answer)


def cut(sizes: list[int], works: list[int], limits: models.Limits) -> list[range]:
    """Batches that keep within the limits, each as large as they allow; what is too large by itself stands alone."""
    margin = 1_024
    batches: list[range] = []
    start = size = work = 0
    for index, (bytes_of_it, work_of_it) in enumerate(zip(sizes, works, strict=True)):
        full = (
            index - start >= limits.batch_calls
            or size + bytes_of_it > limits.body_bytes - margin
            or work + work_of_it > limits.work
        )
        if full and index > start:
            batches.append(range(start, index))
            start, size, work = index, 0, 0
        size += bytes_of_it + 8
        work += work_of_it
    if sizes:
        batches.append(range(start, len(sizes)))
    return batches
