"""Compare spurious bias, as podium measures it, with the values released by Mishra & Arunkumar 2021 for SST-2.

python validation/released_bias.py [--rounds M] [--embeddings FILE.npy]

Prints a page. The data are not part of podium: they are looked for in ../shared, beside the project. The paper embeds
texts with RoBERTa, fine-tuned on a tenth of them; here they are embedded by their words alone (TF-IDF, 300 dimensions),
or by any encoder whose embeddings, a row for each of the 872 samples, are in a file.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy.stats import kendalltau, spearmanr
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from podium.difficulty.bias import bias_across, bias_within

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "difficulty"

SHARES = (0.1, 0.5, 0.9)

Floats = NDArray[np.float64]


def main() -> None:
    """Embed, measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=128, help="of each half; the released values look like 128")
    parser.add_argument("--embeddings", type=Path)
    chosen = parser.parse_args()
    if not FOLDER.is_dir():
        sys.stdout.write(f"nothing to compare with: there is no folder {FOLDER}\n")
        return
    samples = pq.read_table(FOLDER / "sst2_samples.parquet").to_pydict()
    embeddings = words(samples["text"]) if chosen.embeddings is None else np.load(chosen.embeddings)
    within, across, rows = released(samples["sample_id"])
    gold = np.array(samples["gold"])[rows]
    for line in (*within_lines(embeddings[rows], gold, within, chosen.rounds), *across_lines(embeddings[rows], gold)):
        sys.stdout.write(line + "\n")
    correlation = spearmanr(across, within).statistic
    sys.stdout.write(f"\nThe released values of both algorithms correlate by {correlation:.2f} (Spearman).\n")


def words(texts: list[str]) -> Floats:
    """Embed texts by the words in them."""
    counts = TfidfVectorizer().fit_transform(texts)
    return np.asarray(TruncatedSVD(300, random_state=0).fit_transform(counts))


def released(samples: list[int]) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Bias by algorithm 1 and 2, the values of repeated samples averaged, and the rows of the samples that have it."""
    table = pq.read_table(FOLDER / "sst2_spurious_bias.parquet").to_pydict()
    ids, places = np.unique(table["sample_id"], return_inverse=True)
    counts = np.bincount(places)
    within, across = (np.bincount(places, table[name]) / counts for name in ("bias_algo1", "bias_algo2"))
    return within, across, np.array([samples.index(each) for each in ids.tolist()])


def within_lines(embeddings: Floats, gold: NDArray[Any], truth: Floats, rounds: int) -> Iterator[str]:
    """Compare algorithm 1 by training sets of several sizes."""
    yield f"## Algorithm 1: {gold.size} samples, {rounds} rounds in each of two halves\n"
    yield "Correlations of both halves together with the released values, over all samples and (Spearman) over the"
    yield "negative and the positive ones. Reliability r: Spearman between the halves. Ceiling: √(r · 2r / (1 + r)),"
    yield "the correlation if noise alone told the two apart and the released values were as reliable as one half.\n"
    yield _row("training set", "accuracy", "Spearman", "Kendall", "negative", "positive", "r", "ceiling", "unconverged")
    yield _row(*["---:"] * 9)
    for share in SHARES:
        size = round(share * gold.size)
        halves = [bias_within(embeddings, gold, rounds=rounds, size=size, seed=seed) for seed in (0, 1)]
        correct, evaluated = (sum(getattr(half, name) for half in halves) for name in ("correct", "evaluated"))
        bias = correct / evaluated
        alike = spearmanr(halves[0].bias, halves[1].bias).statistic
        numbers = [
            correct.sum() / evaluated.sum(),
            spearmanr(bias, truth).statistic,
            kendalltau(bias, truth).statistic,
            *(spearmanr(bias[gold == label], truth[gold == label]).statistic for label in (0, 1)),
            alike,
            np.sqrt(2 * alike / (1 + alike) * alike),
        ]
        unconverged = sum(half.unconverged for half in halves)
        yield _row(f"{size} ({share:.0%})", *(f"{number:.3f}" for number in numbers), str(unconverged))


def across_lines(embeddings: Floats, gold: NDArray[Any]) -> Iterator[str]:
    """Try algorithm 2 with a random half of the test set as training set, since that of SST-2 is not there."""
    _, across, _ = released(pq.read_table(FOLDER / "sst2_samples.parquet")["sample_id"].to_pylist())
    order = np.random.default_rng(0).permutation(gold.size)
    train, test = np.sort(order[: gold.size // 2]), np.sort(order[gold.size // 2 :])
    yield f"\n## Algorithm 2: {train.size} samples train, {test.size} are tested\n"
    yield "Means over negative and positive samples; Spearman with the released values, over all and over these.\n"
    yield _row("", "distinct values", "mean, negative", "mean, positive", "Spearman", "negative", "positive")
    yield _row(":---", *["---:"] * 6)
    found = {"released": across[test]}
    for name, probabilities in (("votes", False), ("probabilities", True)):
        sets = (embeddings[train], gold[train], embeddings[test], gold[test])
        found[name] = bias_across(*sets, probabilities=probabilities).bias
    parts = [gold[test] == 0, gold[test] == 1]
    for name, bias in found.items():
        means = [bias[part].mean() for part in parts]
        alike = [spearmanr(bias[part], across[test][part]).statistic for part in (slice(None), *parts)]
        yield _row(name, str(np.unique(bias).size), *(f"{number:.3f}" for number in (*means, *alike)))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
