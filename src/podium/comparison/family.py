"""Several treatments against one control: a meta-analysis of each, and p-values for their number; frozen."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.frozen import plain
from podium.base.words import counted, p_value
from podium.comparison.result import MetaAnalysis
from podium.report.result import Result

Floats = NDArray[np.float64]


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false rejection is kept, whatever their dependence (Holm 1979).

    The i-th smallest of m becomes the largest of (m − j + 1) p₍ⱼ₎ for j ≤ i, at most 1.

    Parameters
    ----------
    p
        Shape `(m,)`; NaN where there is no test, which then does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    return _adjusted(p, lambda ordered: np.maximum.accumulate(np.arange(ordered.size, 0, -1) * ordered))


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false ones among rejections is kept (Benjamini & Hochberg 1995).

    The i-th smallest of m becomes the smallest of m p₍ⱼ₎ / j for j ≥ i. Proved for tests that are independent,
    and for one-sided ones that are positively dependent, as comparisons with one control are.

    Parameters
    ----------
    p
        Shape `(m,)`; NaN where there is no test, which then does not count.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """

    def stepped(ordered: Floats) -> Floats:
        scaled = ordered * (ordered.size / np.arange(1, ordered.size + 1))
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _adjusted(p, stepped)


def _adjusted(p: ArrayLike, adjust: Callable[[Floats], Floats]) -> Floats:
    """Adjust the p-values that exist, smallest first, and put them back in their places."""
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, kind="stable")[: np.count_nonzero(~np.isnan(given))]
    result = np.full_like(given, np.nan)
    result[order] = np.minimum(adjust(given[order]), 1.0)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons(Result):
    """All systems against one of them, best first.

    Attributes
    ----------
    control
        Label.
    analyses
        One for each treatment, by summary effect, greatest first; equals in order of their labels.
    holm, benjamini_hochberg
        Shape of `analyses`: p-values of the summaries, adjusted; see `podium.effects`.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 6, 100, dispersion=1.0, rng=0).scores
    >>> podium.compare_all(scores, control="system 1").analyses[0].treatment
    'system 4'
    """

    schema: ClassVar[str] = "comparisons"
    row_key: ClassVar[str] = "treatments"

    control: str
    analyses: tuple[MetaAnalysis, ...]
    holm: NDArray[np.float64]
    benjamini_hochberg: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.analyses)

    @property
    def title(self) -> str:
        """What is compared, in words."""
        return f"{counted(len(self), 'system')} against {self.control}, {self.analyses[0].measure.name}"

    def __repr__(self) -> str:
        lines = [f"Comparisons({self.title})"]
        for one, holm in zip(self.analyses[:10], self.holm.tolist(), strict=False):
            lines.append(f"  {one.treatment}  {one.conclusion.partition(';')[0]}, Holm p {p_value(holm)}")
        if len(self) > 10:
            lines.append(f"  … and {len(self) - 10} more")
        return "\n".join(lines)

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per treatment; None where a number does not exist.

        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 6, 100, dispersion=1.0, rng=0).scores
        >>> podium.compare_all(scores, control="system 1").rows()[0]["k"]
        6
        """
        adjusted = zip(self.analyses, self.holm.tolist(), self.benjamini_hochberg.tolist(), strict=True)
        return [
            plain({
                "treatment": one.treatment,
                **asdict(one.summary),
                "holm": holm,
                "benjamini_hochberg": fdr,
            })
            for one, holm, fdr in adjusted
        ]  # fmt: skip

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return "these rows are the summaries only; -f json also has the tasks of each"

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "control": self.control,
            "treatments": self.rows(),
            "analyses": [one.to_dict() for one in self.analyses],
        }
