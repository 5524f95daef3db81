"""Columns of a wide table that describe systems and do not score them: found by their names, or by what they hold."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite

from podium.base.words import LONG, Aside, with_names
from podium.source.role import USUAL
from podium.source.table import SourceColumn, is_missing

#: Names of columns that hold no scores, as `bare` writes them.
_NAMES = frozenset(
    (
        # order, and repeats
        *("rank", "ranking", "index", "idx", "id", "row", "row_id", "seed", "epoch", "trial", "fold", "run_id"),
        *("replicate", "attempt", "weight", "instance_weight", "sample_weight", "version", "revision", "sha", "commit"),
        # what a system is
        *("params", "parameters", "n_params", "num_params", "nparams", "number_of_params", "number_of_parameters"),
        *("param_count", "parameter_count", "total_params", "active_params", "activated_params", "model_size"),
        *("context_length", "context_window", "max_tokens", "max_length", "max_seq_len", "sequence_length"),
        *("embed_dim", "embedding_dim", "embedding_dimensions", "embedding_size", "hidden_size", "vocab_size"),
        *("likes", "hub_likes", "downloads", "stars", "organization", "organisation", "license", "licence"),
        *("url", "urls", "link", "links", "homepage", "paper_url", "repo", "repository", "github", "doi", "arxiv"),
        # how much was counted
        *("avg_length", "average_length", "mean_length", "avg_len", "output_length", "avg_output_length"),
        *("tokens", "avg_tokens", "average_tokens", "mean_tokens", "avg_output_tokens", "n_tokens", "num_tokens"),
        *("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "total_tokens", "n", "sample_size"),
        *("n_samples", "num_samples", "n_examples", "num_examples", "n_instances", "num_instances", "n_items"),
        *("n_questions", "num_questions", "n_tasks", "num_tasks", "n_shot", "n_shots", "num_fewshot", "shots"),
        *("votes", "n_votes", "num_votes", "battles", "n_battles", "num_battles"),
        # how sure a score is
        *("ci", "ci_low", "ci_high", "ci_lower", "ci_upper", "ci_lo", "ci_hi", "lower_ci", "upper_ci", "ci95", "ci_95"),
        *("95_ci", "conf_int", "confidence_interval", "lower_bound", "upper_bound", "margin_of_error"),
        *("stderr", "std_err", "std_error", "standard_error", "se", "sem", "std", "stdev", "std_dev", "stddev", "sd"),
        *("standard_deviation", "variance", "p_value", "pvalue"),
        # when
        *("date", "year", "month", "timestamp", "tstamp", "datetime", "release_date", "release_year", "released"),
        *("submission_date", "submitted", "submitted_at", "created", "created_at", "last_updated", "updated_at"),
        *("upload_date", "date_added", "knowledge_cutoff"),
        # predictions and right answers
        *("prediction", "pred", "predicted", "predicted_label", "gold", "gold_label", "label", "target"),
    )
)

#: The same, where the column holds whole numbers.
_COUNTS = frozenset(("no", "nr", "number", "position", "pos", "place", "count", "counts", "samples", "support"))

#: The end of the name of a bound or an error of a score, as in `rating_q025`.
_BOUND = re.compile(r"_(stderr|std_?err|standard_error|std|stdev|ci|ci_low(er)?|ci_(high|upper)|q0\d+|q9\d+)$")

_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[/.]\d{1,2}[/.](\d{4}|\d{2}))([T ].*)?")

#: A number with any signs, but without letters; and a cell that begins like one.
_NUMBER, _BEGINS = re.compile(r"[^\w]*\d[^A-Za-z]*"), re.compile(r"[^\w]*\d")


def bare(name: str) -> str:
    """A name in small letters, without symbols and without what stands in brackets.

    >>> bare("#Params (B)"), bare("Average ⬆️"), bare("Avg. Length"), bare("modelSize")
    ('params', 'average', 'avg_length', 'model_size')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", name))
    return "_".join(re.findall(r"[^\W_]+", spaced.lower()))


def described(column: SourceColumn) -> bool:
    """Whether the name of a column says that it holds no scores.

    >>> names = ("rating_q025", "avg_tokens", "#", "Rank", "QNLI", "winrate")
    >>> [described(SourceColumn(name, "number")) for name in names]
    [True, True, True, True, False, False]
    """
    name = bare(column.name)
    whole = column.kind == "integer" and (name in _COUNTS or name.endswith("_id"))
    return name in _NAMES or whole or bool(_BOUND.search(name)) or column.name.strip() in {"#", "№"}


def contents(cells: Sequence[str | None]) -> str | None:
    """What the cells of a column of text hold: "dates", "text", or None if they may be scores.

    A cell with a digit in front may be a score with a unit or a mark. So cells are text only if none is a number, and
    some do not begin with a digit.

    >>> contents(["2024-07-31"]), contents(["GPTQ", "4bit"]), contents(["85.1", "OOM"]), contents(["7B", "13B"])
    ('dates', 'text', None, None)
    """
    present = [cell.strip() for cell in cells if cell is not None and not is_missing(cell)]
    if present and all(map(_DATE.fullmatch, present)):
        return "dates"
    words = any(not _BEGINS.match(cell) for cell in present)
    numbers = any(_NUMBER.fullmatch(cell) or is_number(cell) for cell in present)
    return "text" if words and not numbers else None


def is_number(text: str) -> bool:
    """Whether a text is a finite number.

    >>> is_number("0.5"), is_number("m1"), is_number("nan")
    (True, False, False)
    """
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def left_out(reasons: Mapping[str, str]) -> list[Aside]:
    """Notes on the columns that were left out, by what is known of each: "name", "text" or "dates"."""
    notes = []
    for reason in ("text", "dates", "name"):
        if not (names := [name for name, found in reasons.items() if found == reason]):
            continue
        column, holds, were, them = (
            ("column", "holds", "was", "it") if len(names) == 1 else ("columns", "hold", "were", "them")
        )
        why = f"{holds} {reason} and {were} left out"
        if reason == "name":
            why = f"{were} left out: no scores by name; tasks= (--tasks) can keep {them}"
        notes.append(Aside(with_names(f"{column} ", list(map(repr, names)), f" {why}", room=LONG)))
    return notes


#: Names of columns of text that do not name systems.
_NOT_SYSTEMS = frozenset(
    (
        *(USUAL["task"] + USUAL["metric"] + USUAL["text"] + USUAL["gold"] + USUAL["prediction"] + USUAL["instance"]),
        *("winner", "judge", "annotator"),
    )
)


def may_name_systems(column: SourceColumn) -> bool:
    """Whether a column of text without a usual name may hold the systems.

    >>> may_name_systems(SourceColumn("LLM", "text")), may_name_systems(SourceColumn("license", "text"))
    (True, False)
    """
    if column.name == "index":  # what pandas calls an index without a name
        return column.kind == "text"
    return column.kind == "text" and not described(column) and bare(column.name) not in _NOT_SYSTEMS
