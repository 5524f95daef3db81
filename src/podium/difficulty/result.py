"""Difficulty of instances by one or several measures, the texts that were read for it, and how it is shown."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen, plain_list
from podium.base.errors import InputError, LabelError
from podium.base.words import DASH, few, how_many, significant
from podium.difficulty.bias import WithinBias
from podium.report.result import Result
from podium.report.view import Column, Table, View


@dataclass(frozen=True, slots=True, eq=False)
class Texts(Frozen):
    """K instances of a test set or a training set: texts, embeddings, or both; and what is right.

    Attributes
    ----------
    instances
        Shape `(K,)`: distinct labels of the instances, whole numbers or text.
    texts
        K texts, or None where there are only embeddings.
    gold
        K right answers, or None where they are not known.
    embeddings
        Shape `(K, D)`: finite numbers; or None where texts are yet to be embedded.
    name
        Its name in errors, such as that of its file.
    notes
        What reading left out, in words.

    Raises
    ------
    InputError
        There is no instance, neither texts nor embeddings, or lengths differ.

    Examples
    --------
    >>> import numpy as np
    >>> Texts(np.arange(2), ("not bad", "bad"), gold=("1", "0"), name="reviews")
    Texts(2 instances of reviews)
    """

    instances: NDArray[Any]
    texts: tuple[str, ...] | None = None
    gold: tuple[str, ...] | None = None
    embeddings: NDArray[Any] | None = None
    name: str = "texts"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Frozen.__post_init__(self)
        if not self.instances.size:
            raise InputError(f"{self.name}: there are no instances")
        if self.texts is None and self.embeddings is None:
            raise InputError(f"{self.name}: there are neither texts nor embeddings; give one of them")
        sizes = {"text": self.texts, "right answer": self.gold, "row of embeddings": self.embeddings}
        for what, given in sizes.items():
            if given is not None and len(given) != self.instances.size:
                raise InputError(
                    f"{self.name}: {how_many(len(given), what)} for {how_many(self.instances.size, 'instance')}; "
                    "their numbers must be equal"
                )

    def __len__(self) -> int:
        return int(self.instances.size)

    def __repr__(self) -> str:
        return f"Texts({how_many(len(self), 'instance')} of {self.name})"


def checked_texts(given: Any, what: str) -> Texts:
    """Refuse what is no texts, and say how to make them.

    Raises
    ------
    InputError
        It is something else.
    """
    if not isinstance(given, Texts):
        raise InputError(f"{what}: expected Texts, not {type(given).__name__}; make them with podium.read_texts(path)")
    return given


def checked_answers(texts: Texts) -> NDArray[Any]:
    """Return the right answers of texts, shape `(K,)`.

    Raises
    ------
    InputError
        There are none.
    """
    if texts.gold is None:
        raise InputError(
            f"{texts.name}: bias needs right answers; name the column that holds them with gold_column= (--gold-column)"
        )
    return np.array(texts.gold)


#: Which values are hard: low ones, as of a bias by which an instance is easy, or high ones.
Hard = Literal["low", "high"]

HARD: tuple[Hard, ...] = ("low", "high")

#: How names of measures begin that are shares.
SHARES = ("bias", "spurious")


@dataclass(frozen=True, slots=True, eq=False)
class Measure(Frozen):
    """One value per instance.

    Attributes
    ----------
    name
        What it is called, as "bias" or "similarity_25".
    values
        Shape `(K,)`: finite, or NaN where an instance has none.
    hard
        Whether instances of low or of high values are the hard ones.
    by_task
        Whether every task has a scale of its own, so that values of different tasks cannot be compared.

    Raises
    ------
    InputError
        A bias is not between 0 and 1.
    LabelError
        `hard` is neither.
    """

    name: str
    values: NDArray[np.float64]
    hard: Hard
    by_task: bool = False

    def __post_init__(self) -> None:
        Frozen.__post_init__(self)
        if self.hard not in HARD:
            raise LabelError.unknown("end of a measure that is hard", self.hard, HARD)
        if self.name.casefold().startswith(SHARES) and ((self.values < 0) | (self.values > 1)).any():
            raise InputError(f"{self.name!r} is a share and must lie between 0 and 1; rename it if it is no share")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difficulty(Result):
    """Difficulty of K instances by M measures.

    Attributes
    ----------
    instances
        Shape `(K,)`: labels, whole numbers or text; distinct within a task.
    measures
        The M measures.
    tasks
        Shape `(K,)`: the task of each instance; or None, and then they are of every task that has such instances.
    extras
        Other columns of shape `(K,)`, by name: what the measures rest on.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Raises
    ------
    InputError
        There is no instance or no measure, columns differ in length, a value is infinite, two columns have one name,
        or an instance occurs twice.

    Examples
    --------
    >>> bias = Measure("bias", np.array([0.9, 0.5]), "low")
    >>> Difficulty(np.array(["not bad", "bad"]), (bias,))
    Difficulty(2 instances: bias)
    • 2 instances in order of bias: 2 distinct values
    measure  hard  instances  lowest     25%  median     75%  highest
    bias     low           2  0.5000  0.6000  0.7000  0.8000   0.9000
    """

    schema: ClassVar[str] = "difficulty"
    _row_key: ClassVar[str] = "instances"
    _other_figures: ClassVar[Mapping[str, str]] = {
        "difficulty": "podium.customize(scores, difficulty).plot('difficulty')"
    }

    instances: NDArray[Any]
    measures: tuple[Measure, ...]
    tasks: NDArray[Any] | None = None
    extras: tuple[tuple[str, NDArray[Any]], ...] = ()
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __post_init__(self) -> None:
        Result.__post_init__(self)
        if not self.instances.size or not self.measures:
            raise InputError("a difficulty needs at least one instance and one measure")
        names = [name for name, _ in self._arrays()]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"two columns of a difficulty are called {twice!r}; rename one")
        for name, column in self._arrays():
            if column.shape != self.instances.shape:
                raise InputError(f"column {name!r} has shape {column.shape} for {self.instances.size} instances")
        for measure in self.measures:
            if np.isinf(measure.values).any():
                label = self.instances[int(np.isinf(measure.values).argmax())]
                raise InputError(f"{measure.name!r} of instance {str(label)!r} is infinite; leave it out")
        labels = list(map(str, self.instances.tolist()))
        tasks = [""] * len(labels) if self.tasks is None else list(map(str, self.tasks.tolist()))
        rows = list(zip(tasks, labels, strict=True))
        if len(set(rows)) < len(rows):  # of one that occurs twice the value is unknown
            task, label = next(row for row, times in Counter(rows).items() if times > 1)
            where = "" if self.tasks is None else f" of task {task!r}"
            raise InputError(f"instance {label!r}{where} has a difficulty twice; keep one")

    def __len__(self) -> int:
        return int(self.instances.size)

    @property
    def title(self) -> str:
        """Size and measures, in words."""
        return f"{how_many(len(self), 'instance')}: {few([measure.name for measure in self.measures], 20)}"

    def measure(self, name: str | None = None) -> Measure:
        """Return the measure of a name, or the only one.

        Raises
        ------
        LabelError
            There is no such measure, or there are several and none is named.

        Examples
        --------
        >>> values = np.array([0.9, 0.5])
        >>> both = Difficulty(np.array([1, 2]), (Measure("bias", values, "low"), Measure("irt", values, "high")))
        >>> both.measure("irt").hard
        'high'
        """
        names = [measure.name for measure in self.measures]
        if name is None:
            if len(names) > 1:
                raise LabelError(
                    f"there are several measures of difficulty; name one of {few(names, 20)} "
                    "with measure= (--difficulty-column)"
                )
            return self.measures[0]
        if name not in names:
            raise LabelError.unknown("measure of difficulty", name, names)
        return self.measures[names.index(name)]

    def column(self, name: str) -> NDArray[Any]:
        """Return any column by its name, shape `(K,)`.

        Raises
        ------
        LabelError
            There is no such column.
        """
        columns = dict(self._arrays())
        if name not in columns:
            raise LabelError.unknown("column", name, columns)
        return columns[name]

    def _arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        if self.tasks is not None:
            yield "task", self.tasks
        yield "instance", self.instances
        for measure in self.measures:
            yield measure.name, measure.values
        yield from self.extras

    def _columns(self) -> dict[str, list[Any]]:
        """Plain values by column: task where there are tasks, instance, measures, extras; None where there is none."""
        return {name: plain_list(column) for name, column in self._arrays()}

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per instance.

        >>> Difficulty(np.array(["a"]), (Measure("bias", np.array([0.9]), "low"),)).rows()
        [{'instance': 'a', 'bias': 0.9}]
        """
        columns = self._columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        return view_difficulty(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "measures": [{"name": measure.name, "hard": measure.hard} for measure in self.measures],
            "instances": self.rows(),
        }


#: Systems below which parameters of instances are said to be rough.
_MANY = 100

#: Systems from which b orders instances better than failures do, and from which suspects are found; validation.md.
_ENOUGH, _SUSPECTED = 50, 50

_CIRCULAR = "do not weight a leaderboard of the same systems by them if you have scores of others"


def notes_within(inside: WithinBias, instances: int) -> list[str]:
    """Say what a bias within a test set is, and where it is missing."""
    models = how_many(2 * inside.rounds, "linear model")
    trained = f"trained on {inside.size:,} of {how_many(instances, 'instance')} each"
    said = [f"bias: share of {models}, {trained}, that solve an instance they were not trained on"]
    said += _unconverged(inside.unconverged, f" of {2 * inside.rounds:,}")
    if never := int((inside.evaluated == 0).sum()):
        said.append(f"no bias for {how_many(never, 'instance')} that no round held out; use more rounds")
    return said


def notes_across(train: Texts, unseen: int, unconverged: int, *, probabilities: bool) -> list[str]:
    """Say what a bias across sets is, and what was not learnt."""
    learnt = f"trained on {how_many(len(train), 'instance')} of {train.name}"
    said = [f"bias: share of four classifiers, {learnt}, that are right"]
    if probabilities:
        said = [f"bias: mean probability of the right answer by four classifiers, {learnt}"]
    if unseen:
        said.append(
            f"bias 0 for {how_many(unseen, 'instance')} with a right answer that the training set does not have"
        )
    return said + _unconverged(unconverged)


def _unconverged(number: int, of: str = "") -> list[str]:
    return [f"{number:,}{of} fits stopped before they converged"] if number else []


def notes_on_failures(systems: int, values: NDArray[np.float64]) -> list[str]:
    """Say whose failures they are, and how many instances have none."""
    notes = [f"failures of {how_many(systems, 'system')}; {_CIRCULAR}"]
    if bare := int(np.isnan(values).sum()):
        notes.append(f"no failures for {how_many(bare, 'instance')} without a score")
    return notes


def notes_on_items(systems: int, tasks: int, columns: Mapping[str, NDArray[Any]]) -> list[str]:
    """Say on how many answers difficulties rest, which have none, and whether tasks can be compared."""
    notes = []
    if "suspects" in columns:
        listed = columns["suspects"]
        notes = ["no suspects: there is no instance on which better systems clearly do worse"]
        if listed.any():
            doubt = f"Of {listed.sum()} about {float((1 - columns['suspect'][listed]).sum()):.1f} by chance"
            notes = [f"suspects: better systems do worse; check their labels. {doubt}"]
        if systems < _SUSPECTED:
            few_found = f"{how_many(systems, 'system')} find few wrong labels"
            notes.append(f"{few_found}; 50 find most, but few of very easy or hard instances")
    notes.append(f"difficulties from {how_many(systems, 'system')}; {_CIRCULAR}")
    if systems < _MANY:
        notes.append(
            f"{how_many(systems, 'system')} are few to estimate two numbers per instance from, so these are rough"
        )
    if systems < _ENOUGH:
        notes.append(
            f"with so few systems, b says no more than the share of failures; from {_ENOUGH} systems on it says more"
        )
    for why, end in (("all solve it", "easy"), ("none solves it", "hard")):
        if number := int((columns["estimate"] == why).sum()):
            notes.append(f"no estimate for {how_many(number, 'instance')}: {why}; b only puts it at the {end} end")
    if tasks > 1:
        notes.append(
            "every task has its own scale; irt(scores, together=True), or `podium difficulty irt "
            "--together`, puts all tasks on one"
        )
    return notes


#: Hardest and easiest instances shown.
_ENDS = 5

#: Instances shown on which better systems do worse, and how likely that is at least.
_SUSPECTS, _LIKELY = 15, 0.5

_QUANTILES = {"lowest": 0.0, "25%": 0.25, "median": 0.5, "75%": 0.75, "highest": 1.0}

_READING = (
    "hard: whether high or low values of the measure are hard",
    "distinct values, largest tie: how finely the measure orders the instances",
)


def view_difficulty(difficulty: "Difficulty") -> View:
    """Lay out a difficulty: quantiles and ties of its measures; then the ends of each. Files hold all instances.

    >>> values = np.array([0.9, 0.5, 0.5, np.nan])
    >>> view = view_difficulty(Difficulty(np.arange(4), (Measure("bias", values, "low"),)))
    >>> view.tables[0].rows
    [('bias', 'low', '3', '0.5000', '0.5000', '0.5000', '0.7000', '0.9000', '2', '2')]
    """
    ends = [_ends(difficulty, measure) for measure in difficulty.measures if np.isfinite(measure.values).any()]
    alone = len(ends) == 1
    ends, spread = [replace(table, detail=not alone) for table in ends], replace(_spread(difficulty), detail=alone)
    verdict = tuple(_orders(measure) for measure in difficulty.measures)
    return View(difficulty.title, (spread, *ends, *_suspects(difficulty)), difficulty.notes, verdict, explain=_READING)


def _orders(measure: "Measure") -> str:
    """Say how finely a measure orders the instances."""
    values, sizes = np.unique(measure.values[~np.isnan(measure.values)], return_counts=True)
    if not sizes.size:
        return f"no instance has {measure.name}"
    rated = how_many(int(sizes.sum()), "instance")
    if 2 * sizes.max() > sizes.sum():
        tie = f"{sizes.max():,} of {rated} have {significant(values[sizes.argmax()], 3)}"
        return f"most instances are alike by {measure.name}: {tie}"
    return f"{rated} in order of {measure.name}: {how_many(sizes.size, 'distinct value')}"


def _spread(difficulty: "Difficulty") -> Table:
    """One row per measure."""
    rows = [_row(measure) for measure in difficulty.measures]
    names, hard, *numbers = zip(*rows, strict=True)
    heads = ("instances", *_QUANTILES, "distinct values", "largest tie")
    columns = [Column.numbers(name, cells) for name, cells in zip(heads, numbers, strict=True)]
    return Table((Column.labels("measure", names), Column.words("hard", hard), *columns), "measures")


def _row(measure: "Measure") -> tuple[str, ...]:
    there = measure.values[~np.isnan(measure.values)]
    if not there.size:
        return measure.name, measure.hard, "0", *[DASH] * (len(_QUANTILES) + 2)
    ties = np.unique(there, return_counts=True)[1]
    spread = [f"{value:.4f}" for value in np.quantile(there, list(_QUANTILES.values()))]
    return measure.name, measure.hard, f"{there.size:,}", *spread, f"{ties.size:,}", f"{ties.max():,}"


def _ends(difficulty: "Difficulty", measure: "Measure") -> Table:
    """Hardest instances first; of equals those that come first."""
    rated = np.flatnonzero(~np.isnan(measure.values))
    order = rated[np.argsort(measure.values[rated] * (1 if measure.hard == "low" else -1), kind="stable")]
    most = min(_ENDS, order.size // 2) or order.size
    chosen = [*order[:most], *order[max(order.size - most, most) :]]
    columns = [
        Column.labels("", ["hardest" if place < most else "easiest" for place in range(len(chosen))]),
        Column.labels("instance", [str(difficulty.instances[row]) for row in chosen]),
        Column.numbers(measure.name, [f"{measure.values[row]:.4f}" for row in chosen]),
    ]
    if difficulty.tasks is not None:
        columns.insert(1, Column.labels("task", [str(difficulty.tasks[row]) for row in chosen]))
    why = dict(difficulty.extras).get("estimate")
    if why is not None and not (why[chosen] == "yes").all():
        columns.append(Column.words("estimate", [str(why[row]) for row in chosen]))
    return Table(tuple(columns), f"hardest and easiest by {measure.name}")


def _suspects(difficulty: "Difficulty") -> tuple[Table, ...]:
    """Show the instances on which better systems rather do worse, likeliest first; nothing if none was looked for."""
    extras = dict(difficulty.extras)
    if "suspect" not in extras:
        return ()
    likely = np.nan_to_num(extras["suspect"], nan=0.0)
    order = np.argsort(-likely, kind="stable")
    chosen = order[: min(int((likely > _LIKELY).sum()), _SUSPECTS)].tolist()
    columns = [
        Column.labels("instance", [str(difficulty.instances[row]) for row in chosen]),
        Column.numbers("probability", [f"{likely[row]:.3f}" for row in chosen]),
        Column.numbers("slope", [f"{extras['slope'][row]:.2f}" for row in chosen]),
        Column.words("suspect", ["yes" if extras["suspects"][row] else "maybe" for row in chosen]),
    ]
    if difficulty.tasks is not None:
        columns.insert(0, Column.labels("task", [str(difficulty.tasks[row]) for row in chosen]))
    return (Table(tuple(columns), "instances on which better systems do worse"),) if chosen else ()
