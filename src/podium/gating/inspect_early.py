"""Stop an evaluation in Inspect as soon as it is known whether it is worse than a baseline by more than a margin."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.base.arrays import plain
from podium.base.check import checked_whole
from podium.base.errors import InputError, MethodError
from podium.base.words import few
from podium.gating.api import read_baseline
from podium.gating.watching import Baseline, Watched
from podium.source.tool.inspect_ai import sample_values, task_name

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore
    from inspect_ai.util import EarlyStop

    from podium.source.memory import ScoresLike

#: How many more samples must have a score before it looks again, as a share.
_OFTEN = 0.02

#: What it may stop at.
_STOPS = ("worse", "not worse")


class EarlyStopping:
    """Stop the samples of a task in Inspect once the new run is worse than a baseline, or not worse.

    Give it to a task as `early_stopping`; samples that have not begun by then are left out, and the log says why. It
    is the confidence sequence of `podium.watch`. Samples count in the order of the dataset, so slow ones are waited
    for, and it does not matter if these are the ones that fail: only the dataset must be in random order
    (`dataset.shuffle(seed=1)`). Of several epochs the first counts, since Inspect runs all samples once before it runs
    one again.

    Parameters
    ----------
    baseline
        A finished log of the same task, or what else `podium.read` takes.
    margin, bounds, confidence
        As `podium.watch` takes them.
    stop
        At which verdicts it stops: "worse", "not worse" or both.
    patience
        After how many later samples one without a score is left out, as one that ended in an error never has any.
    system, options
        Which system of the baseline, and how to read it, such as `metric`; as `podium.gate` takes them.

    Attributes
    ----------
    look
        What is known so far, a `podium.Watched`; None before any sample.

    Raises
    ------
    InputError
        The baseline cannot be read, or has other tasks or samples; when the task starts.
    MethodError
        An argument makes no sense, or a score is out of bounds.

    References
    ----------
    Inspect, `inspect_ai.util.EarlyStopping`.

    Examples
    --------
    >>> import podium
    >>> stopping = EarlyStopping(podium.from_dict({"old": {"qa": [1, 0, 1, 1]}}), margin=0.02)
    >>> # inspect_ai.eval(inspect_ai.Task(dataset=dataset, scorer=match(), early_stopping=stopping))
    >>> stopping.look is None
    True
    """

    def __init__(
        self,
        baseline: "ScoresLike",
        *,
        margin: float | str,
        bounds: tuple[float, float] = (0.0, 1.0),
        confidence: float = 0.95,
        stop: Sequence[str] = _STOPS,
        patience: int = 100,
        system: str | None = None,
        **options: Any,
    ) -> None:
        self._stop = (stop,) if isinstance(stop, str) else tuple(stop)
        if not self._stop or not set(self._stop) <= set(_STOPS):
            raise MethodError(f"stop is {stop!r}; it must be 'worse', 'not worse' or both")
        self._patience = checked_whole("patience", patience)
        self._source = read_baseline(baseline, "baseline", system, options)
        self._told: dict[str, Any] = {"margin": margin, "bounds": bounds, "confidence": confidence}
        self.look: Watched | None = None

    async def start_task(self, task: "EvalSpec", samples: "list[Sample]", epochs: int) -> str:  # noqa: ARG002  # Inspect's form
        """Find the baseline of a task."""
        names = self._source.scores.task_names
        own = task_name(str(task.task))
        if own not in names and len(names) > 1:
            raise InputError(f"the baseline has no task {own!r}, but {few(list(names))}")
        self._task = own if own in names else names[0]
        self._metric = self._source.origin.metric(self._task)
        bounds = self._told["bounds"]
        self._baseline = Baseline(self._source.scores.select(tasks=[self._task]), **self._told)
        self._order = [str(sample.id) for sample in samples]
        if not self._baseline.look({self._task: dict.fromkeys(self._order, bounds[0])}, ended=True).items:
            raise InputError(f"the baseline has no score of any sample of {own}; are these the same samples?")
        self._scores: dict[str, float] = {}
        self._looked = 0
        return "podium"

    async def schedule_sample(self, id: str | int, epoch: int) -> "EarlyStop | None":  # noqa: A002  # the same
        """Leave out a sample if it is decided."""
        if self.look is None or self.look.verdict not in self._stop:
            return None
        from inspect_ai.util import EarlyStop  # noqa: PLC0415  # there where this is called

        return EarlyStop(id=id, epoch=epoch, reason=str(self.look))

    async def complete_sample(self, id: str | int, epoch: int, scores: "dict[str, SampleScore]") -> None:  # noqa: A002
        """Take the score of a sample, and look."""
        if epoch > 1 or (self.look is not None and self.look.verdict in self._stop):
            return
        found = sample_values({name: one.score.value for name, one in scores.items()})
        if not self._metric and len(found) == 1:
            self._metric = next(iter(found))
        if self._metric not in found:
            metric = self._metric or "no metric"
            raise InputError(f"the baseline is scored by {metric}, and the task by {few(list(found))}")
        self._scores[str(id)] = found[self._metric]
        known = self._known()
        if len(known) > (1 + _OFTEN) * self._looked:
            self._looked = len(known)
            self.look = self._baseline.look({self._task: known})

    def _known(self) -> Mapping[str, float]:
        """Return scores up to the first sample that has none yet, in the order of the dataset."""
        known: dict[str, float] = {}
        for label in self._order:
            if label in self._scores:
                known[label] = self._scores[label]
            elif len(self._scores) - len(known) <= self._patience:
                break
        return known

    async def complete_task(self) -> dict[str, Any]:
        """Say in the log what was known at the end."""
        if self.look is None:
            return {}
        said = {name: getattr(self.look, name) for name in ("verdict", "items", "effect", "low", "high")}
        return plain({**said, **self._told, "bounds": list(self._told["bounds"])})
