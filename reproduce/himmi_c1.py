"""Himmi et al. 2023, Appendix C.1 and Table 5: ten systems of XTREME, 18 scores missing, by σˡ and by mean."""

import math
import warnings

from outcome import Numbers, Section, Words, judged
from released import golden

import podium
from podium.errors import PodiumWarning
from podium.score.table import Scores

__all__ = ["by_compatible_orders", "order", "section"]


def section() -> Section:
    """Rank the printed table both ways, and as the released command does."""
    scores = podium.datasets.xtreme_missing()
    missing = scores.n_cells - scores.n_scored
    borda, mean, weighted = order(scores), order(scores, "mean"), order(by_compatible_orders(scores))
    released = golden()["task_level"]["xtreme_missing_table5"]["himmi_one_level"]["as_given"]
    command = " > ".join(released["himmi_code_task_level_unnormalised"]["order_best_first"])
    return Section(
        "Himmi et al., Appendix C.1 and Table 5: a worked example",
        "The printed table of ten systems on four tasks.",
        [
            judged("missing scores", Numbers.read("18 (η = 0.45)"), [missing, missing / scores.n_cells]),
            judged(
                "σˡ",
                Words("M0 > M3 > M2 > M1 > M7 > M5 > M4 > M8 > M9"),
                borda,
                {"the text leaves M6 out, which stands between M8 and M9": borda.replace(" > M6", "")},
            ),
            judged(
                "mean",
                Words("M7 > M4 > M0 > M6 > M9 > M2 = M3 > M1 > M8 > M5"),
                mean,
                {"M5 has no score, and is put last": f"{mean} > M5"},
                note="podium does not rank it; the released code puts it at a random place",
            ),
            judged(
                "σˡ by the released command, for tasks (not in the paper)",
                Words(command),
                borda,
                {"a task weighs n!/k!, the number of orders of n systems that agree with k scores": weighted},
                note="so the tasks with the fewest scores decide",
            ),
            judged(
                "the two disagree on the best system",
                Words("M0 and M7"),
                f"{borda[:2]} and {mean[:2]}",
                note="M7 leads the means with one score, on the task with the highest ones",
            ),
        ],
    )


def order(scores: Scores, method: str = "borda:missing=imputed") -> str:
    """Systems in words, best first, equals joined by "="; those that cannot be ranked are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)  # that means over different tasks are compared
        rows = podium.rank(scores, method, confidence_level=None).rows()
    said, last = "", None
    for row in rows:
        if row["rank"] is not None:
            said += row["system"] if last is None else f" {'=' if row['rank'] == last else '>'} {row['system']}"
            last = row["rank"]
    return said


def by_compatible_orders(scores: Scores) -> Scores:
    """Weigh every task by n!/k!, for k of n systems scored, as the released code for tasks does."""
    n = len(scores.systems)
    return scores.with_task_weights(
        {task.name: math.factorial(n) / math.factorial(int((task.scored > 0).sum())) for task in scores.tasks}
    )
