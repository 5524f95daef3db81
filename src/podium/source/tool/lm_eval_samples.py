"""Samples of lm-evaluation-harness: what of each line counts, by metric and filter."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from podium.source.tool.run import Samples, labels
from podium.source.tool.value import plain_number

#: Metrics that samples log as log-likelihood and length, and what a log-likelihood per length is divided by.
_PER_LENGTH = {"word_perplexity": 1.0, "byte_perplexity": 1.0, "bits_per_byte": math.log(2)}

#: Perplexities: the exponential of the mean of what samples log; as the last they log the log-likelihood.
_PERPLEXITIES = frozenset(("word_perplexity", "byte_perplexity", "perplexity"))

#: What was logged of a sample that is no score, before 0.4.7, which names the metrics and the filter.
_NO_SCORES = frozenset(
    (
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash", "input", "input_media", "token_counts"),
    )
)

#: Letters of the hash of a document that tell whether documents of equal labels are the same.
_DIGITS = 16


def with_filter(metric: str, chosen: str) -> str:
    """Name of a metric with a filter.

    >>> with_filter("acc", "none"), with_filter("exact_match", "strict")
    ('acc', 'exact_match,strict')
    """
    return metric if chosen == "none" else f"{metric},{chosen}"


class _Lines:
    """Lines of samples with one filter and the same metrics: what of them counts, column by column."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self.numbers, self.documents, hashes, *self.values = zip(*rows, strict=True)
        self.labels = labels(self.documents)
        found = [str(one)[:_DIGITS].encode("ascii", "replace") for one in hashes]
        self.digests = np.array(found) if all(found) else None


#: Lines, and which of their values are those of one metric.
_Column = tuple[_Lines, int]


@dataclass(frozen=True, slots=True)
class Logged:
    """What a file of samples says, by metric and filter.

    Attributes
    ----------
    columns
        Scores of the samples; where they do not name their filter, that they are of the first, second, ... one.
    unscored
        Metrics of which the harness scores only all samples together.
    again
        How many samples stand twice.
    cut
        Number of the line that is cut off; 0 if none is.
    wrong
        How many scores are no numbers, by metrics of which others are.
    """

    columns: "Mapping[tuple[str, str | int], Samples]"
    unscored: Sequence[str]
    again: int
    cut: int
    wrong: int

    @classmethod
    def of(cls, numbered: Iterable[tuple[int, Any]]) -> "Logged":
        """Take all samples, with their numbers.

        Where they do not name their filter, a document stands there once for each.
        """
        groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        times = Counter[Any]()
        cut = 0
        for number, row in numbered:
            if row is None:
                cut = number
            elif isinstance(row, dict) and "doc_id" in row:
                metrics = row.get("metrics") or [name for name in row if name not in _NO_SCORES]
                chosen = row.get("filter")
                if chosen is None:
                    chosen = times[row["doc_id"]]
                    times[row["doc_id"]] += 1
                key = (chosen, *metrics)
                if key not in groups:
                    groups[key] = []
                groups[key].append((number, row["doc_id"], row.get("doc_hash", ""), *map(row.get, metrics)))
        found: dict[tuple[str, str | int], list[_Column]] = {}
        for (chosen, *metrics), rows in groups.items():
            lines = _Lines(rows)
            for place, metric in enumerate(metrics):
                found.setdefault((metric, chosen), []).append((lines, place))
        sampled = {names: _plain(columns) or _mixed(names[0], columns) for names, columns in found.items()}
        columns = {names: samples for names, (samples, *_) in sampled.items() if samples is not None}
        unscored = {metric for metric, _ in sampled} - {metric for metric, _ in columns}
        again, wrong = sum(again for _, again, _ in sampled.values()), sum(wrong for *_, wrong in sampled.values())
        return cls(columns, sorted(unscored), again, cut, wrong)

    def filtered(self, filters: Sequence[str]) -> "tuple[dict[str, Samples], int]":
        """Scores by metric with these filters, and how many samples stand twice; the last one counts."""
        columns: dict[str, Samples] = {}
        again = self.again
        for (metric, chosen), samples in self.columns.items():
            name = with_filter(metric, filters[chosen % len(filters)] if isinstance(chosen, int) else chosen)
            before = columns.get(name)
            columns[name] = samples if before is None else _updated(before, samples)
            again += 0 if before is None else before.scores.size + samples.scores.size - columns[name].scores.size
        return columns, again


def _updated(before: Samples, after: Samples) -> Samples:
    """Scores of both; where both have one, the later."""
    rows: dict[Any, tuple[float, float, Any]] = {}
    for part in (before, after):
        weights = np.ones(part.scores.size) if part.weights is None else part.weights
        digests = [b""] * part.scores.size if part.digests is None else part.digests.tolist()
        rows |= zip(part.instances.tolist(), zip(part.scores, weights, digests, strict=True), strict=True)
    return _of(rows)


def _of(rows: Mapping[Any, tuple[float, float, Any]]) -> Samples:
    """By document, score, weight and the beginning of the hash."""
    scores, given, digests = zip(*rows.values(), strict=True)
    weights = np.array(given, dtype=np.float64)
    return Samples(
        labels(rows),
        np.array(scores, dtype=np.float64),
        weights=None if (weights == 1).all() else weights,
        digests=np.array(digests) if all(digests) else None,
    )


def _plain(columns: Sequence[_Column]) -> tuple[Samples, int, int] | None:
    """Scores that are numbers, one for each document, as nearly all are; None if something else is among them."""
    (lines, place), *others = columns
    values = lines.values[place]
    are_numbers = set(map(type, values)) <= {int, float, bool}
    if others or not are_numbers or len(set(lines.documents)) < len(lines.documents):
        return None
    return Samples(lines.labels, np.array(values, dtype=np.float64), digests=lines.digests), 0, 0


def _mixed(metric: str, columns: Sequence[_Column]) -> tuple[Samples | None, int, int]:
    """Scores of any kind, how many documents stand twice, and how many scores are no numbers.

    The harness appends to a file that is there; what stands last is of the last run.
    """
    found = [
        (number, document, lines.digests[row] if lines.digests is not None else b"", score)
        for lines, place in columns
        for row, (number, document) in enumerate(zip(lines.numbers, lines.documents, strict=True))
        if (score := _score(metric, lines.values[place][row])) is not None
    ]
    once = {document: (*score, digest) for _, document, digest, score in sorted(found, key=itemgetter(0))}
    if not once:
        return None, 0, 0
    texts = [value for lines, place in columns for value in lines.values[place] if isinstance(value, str)]
    return _of(once), len(found) - len(once), sum(plain_number(value) is None for value in texts)


def on_a_scale(metric: str, samples: Samples) -> tuple[Samples, bool]:
    """Samples that are better where their mean is, and whether they are logarithms.

    As `perplexity` the log-likelihood is logged, which is never above 0, and is better higher; its negative is better
    lower, as the perplexity is.
    """
    if metric == "perplexity":
        if (samples.scores > 0).any():
            return samples, False
        samples = replace(samples, scores=-samples.scores)
    return samples, metric in _PERPLEXITIES


def _score(metric: str, value: Any) -> tuple[float, float] | None:
    """Score and weight of a sample; None where the harness scores only all samples together.

    Perplexities are logged as log-likelihood and length. The score is then −log-likelihood / length, and the length is
    the weight: the weighted mean is the logarithm of the perplexity, or the bits per byte.
    """
    if (found := plain_number(value)) is not None:
        return found, 1.0
    pair = isinstance(value, list) and len(value) == 2 and all(isinstance(part, int | float) for part in value)
    if metric in _PER_LENGTH and pair and value[1]:
        return -value[0] / value[1] / _PER_LENGTH[metric], float(value[1])
    return None
