"""Results of learners on tables of data, fold by fold: the AutoML benchmark and TabArena."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.base.words import About
from podium.source.tool.content import Content
from podium.source.tool.run import Repeated, Run, Tool
from podium.source.tool.value import plain_number, text


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which column holds what.

    Attributes
    ----------
    system, task, score
        Names of columns; the column of folds is `fold`.
    higher
        Whether a higher score is better.
    settings
        Columns that tell systems of equal names apart.
    measured
        Columns of what else was measured, and what they are called.
    """

    system: str
    task: str
    score: str
    higher: bool
    settings: tuple[str, ...]
    measured: Mapping[str, str]

    @property
    def columns(self) -> frozenset[str]:
        """Columns that all its files have."""
        return frozenset((self.system, self.task, self.score, "fold"))

    def takes(self, content: Content) -> bool:
        """Whether a file has these columns, and one that tells it from other tables."""
        return self.columns <= set(content.columns) and not set(self.measured).isdisjoint(content.columns)

    def read(self, contents: Sequence[Content]) -> Iterator[Run]:
        """The score of every fold, which is an instance; where a fold was run again, the newest that has one counts."""
        for content in contents:
            known = [*self.columns, *self.settings, *self.measured, "metric", "utc", "imputed"]
            rows = content.rows([name for name in known if name in content.columns])
            runs: dict[tuple[str, ...], dict[Any, Mapping[str, Any]]] = {}
            for row in sorted(rows, key=lambda row: (bool(text(row[self.score])), text(row.get("utc")))):
                key = tuple(text(row.get(name)) for name in (self.task, self.system, *self.settings))
                runs.setdefault(key, {})[_fold(row["fold"])] = row
            for (task, system, *settings), folds in runs.items():
                yield self._run(content, task, system, settings, folds)

    def _run(
        self, content: Content, task: str, system: str, settings: Sequence[str], folds: Mapping[Any, Mapping[str, Any]]
    ) -> Run:
        scores = Repeated()
        for fold, row in folds.items():
            found = {called: plain_number(row.get(name)) for name, called in self.measured.items()}
            measured = {called: value for called, value in found.items() if value is not None}
            score = plain_number(row[self.score])
            scores.add(fold, score, measured)
        imputed = sum(str(row.get("imputed")).lower() == "true" for row in folds.values())
        told = {
            "results of others that stand for failed ones count, as in TabArena": imputed,
            "folds without a result are missing": scores.missing,
        }
        last = list(folds.values())[-1]
        return Run(
            content.name,
            system,
            task,
            text(last.get("metric")) or self.score if self.higher else self.score,
            samples=scores.samples(),
            higher_is_better=self.higher,
            made=text(last.get("utc")),
            settings={name: value for name, value in zip(self.settings, settings, strict=True) if value},
            notes=tuple(About(kind, f"{system} on {task} ({count:,})") for kind, count in told.items() if count),
        )


def _fold(given: Any) -> int | str:
    """The label of a fold, which is an integer in all but odd files."""
    value = plain_number(given)
    return int(value) if value is not None and math.isfinite(value) and value.is_integer() else text(given)


_AUTOML = _Layout("framework", "task", "result", True, ("constraint", "version"), {"duration": "seconds"})
_TABARENA = _Layout("method", "dataset", "metric_error", False, (), {"time_train_s": "seconds"})

AUTOML = Tool("automl-benchmark", "AutoML benchmark", _AUTOML.takes, str, _AUTOML.read)
TABARENA = Tool("tabarena", "TabArena", _TABARENA.takes, str, _TABARENA.read)
