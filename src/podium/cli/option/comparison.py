"""How effects are computed, pooled and drawn: the options of `compare` and `pool`."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

from podium.base.check import checked_number
from podium.base.errors import MethodError
from podium.cli.option.option import COLUMNS, check_choice, choice, groups_from, option, split
from podium.cli.option.output import plot_option
from podium.cli.option.read import column
from podium.comparison.dependence import refuse_beside_clusters
from podium.comparison.effects import EFFECT_SIZES, check_effect
from podium.comparison.pooling import ESTIMATORS, INTERVALS, Pooling
from podium.comparison.read import read_moderators

#: Orders of the tasks of a forest plot, and columns beside it.
SORTS = ("effect", "weight", "n", "name")
FOREST_COLUMNS = ("n", "control", "treatment", "means", "weight", "effect", "ci", "p")

#: Pictures of a comparison.
PICTURES = ("forest", "baujat", "bubble")


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """Which systems are compared, and by which effect."""

    heading: ClassVar[str] = "Method"

    control: Annotated[str | None, option("--control", metavar="SYSTEM", meaning="System to compare with.")] = None
    treatment: Annotated[str | None, option("--treatment", metavar="SYSTEM", meaning="System to compare.")] = None
    everything: Annotated[bool, option("--all", meaning="Compare every other system with the control.")] = False
    effect: Annotated[
        str,
        choice(
            tuple(EFFECT_SIZES),
            "--effect",
            "-e",
            meaning="Difference of means (md), in standard deviations (smd, Hedges' g), or correlation (corr). "
            "For 0/1 scores: risk difference (rd) or odds ratio (or).",
        ),
    ] = "md"
    margin: Annotated[
        str | None,
        option("--margin", metavar="N", meaning="How much worse is still as good, in units of the scores, or as 1%."),
    ] = None
    groups: Annotated[
        list[str] | None,
        option(
            "--group",
            metavar="NAME=GLOBS",
            meaning="Also summarise some tasks separately, as in --group inference=*nli,rte. Repeat for more groups.",
        ),
    ] = None

    def __post_init__(self) -> None:
        check_effect(self.effect)
        if self.everything and self.treatment is not None:
            raise MethodError(
                f"--all already compares every system with the control; leave out --all or --treatment {self.treatment}"
            )
        groups_from(self.groups)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.compare` and `podium.compare_all` are told."""
        return {"effect": self.effect, "groups": groups_from(self.groups)}


@dataclass(frozen=True, slots=True)
class PoolingOptions:
    """How effects become a summary."""

    heading: ClassVar[str] = "Method"

    estimator: Annotated[
        str | None,
        choice(tuple(ESTIMATORS), "--estimator", meaning="Estimator of the variance between tasks. Default: reml."),
    ] = None
    interval: Annotated[
        str | None,
        choice(
            INTERVALS, "--interval", meaning=f"Interval of the summary. Default: {INTERVALS[0]}.", heading="Uncertainty"
        ),
    ] = None
    confidence: Annotated[
        float, option("--confidence", metavar="P", meaning="Confidence of all intervals.", heading="Uncertainty")
    ] = 0.95
    cluster: Annotated[
        list[str] | None,
        option(
            "--cluster",
            metavar="NAME=GLOBS",
            meaning="Tasks whose effects may be related, as in --cluster mnli=MNLI*, for a robust interval (CR2). "
            "Repeat for more clusters.",
            heading="Uncertainty",
        ),
    ] = None
    like: Annotated[
        str | None,
        choice(
            ("ranger",),
            "--like",
            meaning="Compute as another tool does: ranger uses DerSimonian-Laird and normal intervals. "
            "τ² stays 0 or above; Ranger's own code lets it go below.",
        ),
    ] = None

    def __post_init__(self) -> None:
        # What makes no sense is refused before anything is read.
        Pooling.of(self.estimator, self.interval, self.confidence, self.like)
        refuse_beside_clusters(self.arguments["cluster"], interval=self.interval, like=self.like)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.compare`, `podium.compare_all` and `podium.pool` are told."""
        names = ("estimator", "interval", "confidence", "like")
        return {**{name: getattr(self, name) for name in names}, "cluster": groups_from(self.cluster, "cluster")}


_Moderators = Annotated[
    list[str] | None,
    option(
        "--moderator",
        metavar="COLUMNS",
        meaning="Properties of tasks that effects may depend on (meta-regression): columns of numbers, or of groups.",
    ),
]

_Diagnostics = Annotated[
    bool,
    option("--diagnostics", meaning="Also show what each task does to the summary: residual, hat, DFFITS, Cook, …"),
]


@dataclass(frozen=True, slots=True)
class ModeratorOptions:
    """Which columns of a table of effects are moderators, and whether diagnostics are shown."""

    heading: ClassVar[str] = "Method"

    moderator: _Moderators = None
    diagnostics: _Diagnostics = False

    @property
    def columns(self) -> list[str]:
        """Columns to be read."""
        return split(self.moderator)

    def check_pictures(self, pictures: Iterable[str] | None) -> None:
        """Refuse a picture of moderators where there are none.

        Raises
        ------
        MethodError
            It is asked for.
        """
        if not self.columns and any(text.startswith("bubble=") for text in pictures or ()):
            raise MethodError("--plot bubble=FILE draws effects by a moderator; name one with --moderator")


@dataclass(frozen=True, slots=True)
class TaskPropertyOptions(ModeratorOptions):
    """The same where properties of tasks are in a table beside the scores."""

    task_table: Annotated[
        str | None, option("--task-table", metavar="FILE", meaning="Table with one row for each task, for --moderator.")
    ] = None

    def __post_init__(self) -> None:
        if self.task_table is None and self.columns:
            raise MethodError("--moderator needs a table of tasks; name it with --task-table, or leave --moderator out")
        if self.task_table is not None and not self.columns:
            raise MethodError("--task-table needs --moderator, which names its columns; add it, or leave it out")

    def read(self) -> dict[str, dict[str, float | str]] | None:
        """Read the properties of tasks; None where none are asked for.

        Raises
        ------
        PodiumError
            The table cannot be read, or has no such columns.
        """
        return None if self.task_table is None else read_moderators(self.task_table, self.columns)


@dataclass(frozen=True, slots=True)
class TaskScoreOptions:
    """What is told to tests of one score per task."""

    heading: ClassVar[str] = "Method"

    rope: Annotated[
        float | None,
        option(
            "--rope",
            metavar="D",
            meaning="Of one score per task: differences up to this are practically equal. Default: 1% of the scale, "
            "if all tasks have one.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        option(
            "--seed",
            metavar="N",
            meaning="Of one score per task: seed of the Bayesian signed-rank test.",
            heading="Uncertainty",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.rope is not None:
            checked_number("rope", self.rope)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.compare_task_scores` is told."""
        return {"rope": self.rope, "seed": self.seed or 0}

    def refuse_instances(self) -> None:
        """Refuse these options where there are instances.

        Raises
        ------
        MethodError
            One of them is given.
        """
        for name, value in asdict(self).items():
            if value is not None:
                raise MethodError(
                    f"--{name} is for tables of one score per task; leave it out where there are instances"
                )


@dataclass(frozen=True, slots=True)
class ForestOptions:
    """Whether a forest plot is drawn, and what is on it."""

    heading: ClassVar[str] = "Output"

    plot: Annotated[list[str] | None, plot_option(PICTURES, usual="forest")] = None
    sort: Annotated[str | None, choice(SORTS, "--sort", meaning="Order of the tasks of the forest plot.")] = None
    left: Annotated[
        list[str] | None,
        option("--left", metavar="COLUMNS", meaning=f"Columns to its left, from {', '.join(FOREST_COLUMNS)}."),
    ] = None
    right: Annotated[
        list[str] | None,
        option("--right", metavar="COLUMNS", meaning="Columns to its right. Default: weight,effect,ci."),
    ] = None
    title: Annotated[str | None, option("--title", metavar="TEXT", meaning="Its title.")] = None

    def __post_init__(self) -> None:
        said = {"--sort": self.sort, "--left": split(self.left), "--right": split(self.right), "--title": self.title}
        check_choice("order", self.sort, SORTS)
        if not self.plot and (idle := [option for option, value in said.items() if value]):
            raise MethodError(f"{idle[0]} is about the forest plot; ask for one with --plot FILE, or leave it out")
        for name in (*split(self.left), *split(self.right)):
            if not name.startswith("J@"):
                check_choice("column", name, FOREST_COLUMNS)

    @property
    def pictures(self) -> list[str] | None:
        """What `--plot` was given; a picture without a name is a forest plot."""
        return self.plot and [text if "=" in text else f"forest={text}" for text in self.plot]

    @property
    def styles(self) -> dict[str, dict[str, Any]]:
        """What `podium.plots.forest` is told."""
        columns = {"left": split(self.left) or None, "right": split(self.right) or None}
        return {"forest": {"sort": self.sort, **columns, "title": self.title}}


@dataclass(frozen=True, slots=True)
class EffectColumnOptions:
    """Which column of a table of effects holds what."""

    heading: ClassVar[str] = COLUMNS

    task_column: Annotated[str | None, column("task", "name of the task")] = None
    effect_column: Annotated[str | None, column("effect")] = None
    variance_column: Annotated[str | None, column("variance", "variance of the effect")] = None
    std_error_column: Annotated[str | None, column("std_error", "standard error of the effect")] = None
    r_column: Annotated[str | None, column("r", "correlation, instead of effect and variance")] = None
    n_column: Annotated[str | None, column("n", "number of instances")] = None
    group_column: Annotated[str | None, column("group", "subgroup of the task")] = None
    cluster_column: Annotated[str | None, column("cluster", "cluster of tasks with related effects")] = None
