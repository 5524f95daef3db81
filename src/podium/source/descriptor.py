"""What a column of a wide table is, by its name and by what it holds: a score, or a property of systems."""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import isfinite

from podium.source.direction import TURNED, says_direction
from podium.source.table import USUAL, SourceColumn, is_missing

#: Whole names of columns that hold no scores, as `bare` writes them, by what they are.
_NAMES = {
    "an order": ("rank", "ranking", "rang", "index", "idx", "row", "row_id", "place", "standing"),
    "an id": ("id", "sha", "commit", "hash", "uuid", "uid", "version", "revision", "run_id"),
    "a repeat": ("seed", "epoch", "epochs", "trial", "fold", "replicate", "attempt"),
    "a weight": ("weight", "instance_weight", "sample_weight"),
    "a size": (
        *("params", "parameters", "n_params", "nparams", "param_count", "size", "context_length", "context_window"),
        *("max_tokens", "max_length", "max_seq_len", "sequence_length", "context", "context_size", "ctx", "ctx_len"),
    ),
    "a note": (
        *("unit", "units", "branch", "organization", "organisation", "license", "licence", "url", "urls", "link"),
        *("links", "homepage", "paper_url", "repo", "repository", "github", "doi", "arxiv"),
    ),
    "a length": ("avg_length", "average_length", "mean_length", "avg_len", "output_length", "avg_output_length"),
    "a count": ("n", "n_shot", "n_shots", "num_fewshot", "shots", "likes", "hub_likes", "hub", "stars", "#", "№"),
    "a setting": (
        *("temperature", "temp", "top_p", "top_k", "lr", "learning_rate", "batch_size", "bs", "image_size", "img_size"),
        *("input_size", "resolution", "patch_size", "crop_size", "beam_size", "num_beams", "beams", "dropout", "bits"),
        *("layers", "n_layers", "num_layers", "heads", "n_heads", "num_heads", "hidden_dim", "depth", "width", "dim"),
        *("embed_dim", "embedding_dim", "embedding_dimensions", "weight_decay", "warmup_steps", "steps", "momentum"),
        *("sampling_rate", "sample_rate", "frame_rate", "step", "timesteps", "crop_pct", "crop"),
    ),
    "how sure a score is": (
        *("ci", "ci_low", "ci_high", "ci_lower", "ci_upper", "ci_lo", "ci_hi", "lower_ci", "upper_ci", "ci95", "ci_95"),
        *("95_ci", "conf_int", "confidence_interval", "lower_bound", "upper_bound", "margin_of_error", "variance"),
        *("stderr", "std_err", "std_error", "standard_error", "se", "sem", "std", "stdev", "std_dev", "stddev", "sd"),
        *("standard_deviation", "p_value", "pvalue", "+/-", "±"),
    ),
    "how sure an answer is": (
        *("confidence", "conf", "probability", "prob", "logprob", "logprobs", "log_prob", "entropy"),
    ),
    "a date": (
        *("date", "year", "month", "timestamp", "tstamp", "datetime", "released", "submitted", "submitted_at"),
        *("created", "created_at", "last_updated", "updated_at", "started_at", "knowledge_cutoff"),
        *("start_time", "end_time", "stop_time", "finish_time", "creation_time", "created_time", "submission_time"),
    ),
    "memory": ("mem", "peak_memory", "gpu_memory", "max_memory", "memory_usage", "peak_mem", "gpu_mem"),
    "a prediction": ("prediction", "pred", "predicted", "predicted_label", "gold", "gold_label", "label", "target"),
}

#: Last words of names of columns that hold no scores; "avg_", "per case" and units around them change nothing.
_LAST_WORDS = {
    "an order": ("rank", "ranking"),
    "an id": ("id", "ids", "sha", "url", "urls", "hash"),
    "a size": ("params", "parameters", "parameter", "param", "size", "dim", "dims", "dimensions", "ctx"),
    "a length": ("length",),
    "compute": ("flop", "flops", "gflops", "tflops", "pflops", "mac", "macs", "gmacs", "macts", "compute"),
    "a count": (
        *("tokens", "token", "samples", "votes", "battles", "instances", "downloads", "citations", "frames"),
        *("episodes", "steps", "iterations", "iters", "timeouts", "crashes"),
    ),
    "a date": ("date", "timestamp", "cutoff"),
    "how sure a score is": ("stderr", "stdev", "stddev", "variance"),
    "a time": (
        *("time", "seconds", "latency", "runtime", "duration", "minutes", "hours", "secs", "elapsed", "walltime"),
        *("ttft", "tpot", "rtf"),
    ),
    "a price": ("cost", "costs", "price", "usd", "dollars"),
    "memory": ("vram", "ram", "gb", "mb", "mib", "gib"),
    "energy": ("kwh", "co2", "emissions", "watts", "joules"),
    "a speed": ("throughput", "speed", "speedup", "rtfx", "fps", "qps", "rps", "tps"),
}

#: The same, where the column holds whole numbers; "errors" alone may be a score.
_LAST_WORDS_OF_COUNTS = {
    "a count": (
        *("no", "nr", "number", "position", "pos", "count", "counts", "support", "tests", "questions", "examples"),
        *("items", "cases", "calls", "shots", "responses", "outputs", "games", "matches", "errors", "failures"),
        *("warnings", "retries"),
    ),
    "a setting": ("res", "resolution"),
}

#: First words of numbers of something, unless the rest is a result such as "solved".
_NUMBERS_OF = ("num", "n", "number", "nb", "no", "count", "total")
_RESULTS = frozenset(
    ("correct", "resolved", "solved", "passed", "wins", "won", "successes", "score", "points", "accuracy")
)

#: Units, in brackets, of what is no score.
_BRACKETED = {
    "a time": ("ms", "s", "sec", "secs", "seconds", "min", "h", "hours"),
    "memory": ("gb", "mb", "gib", "mib", "kb"),
    "a price": ("usd", "$", "€", "eur", "cents"),
    "compute": ("flop", "flops", "gflops", "macs", "gmacs"),
    "energy": ("kwh", "wh", "kg", "w", "j"),
    "a count": ("tokens", "tok", "words", "chars"),
    "a speed": ("fps",),
}

#: What each of these words says.
_BY_NAME, _HEADS, _WHOLE, _UNITS = (
    {word: kind for kind, words in table.items() for word in words}
    for table in (_NAMES, _LAST_WORDS, _LAST_WORDS_OF_COUNTS, _BRACKETED)
)

#: What may stand behind the last word that says what a column is: units, and which of several it is.
_BEHIND = frozenset(
    (
        *("s", "ms", "us", "ns", "sec", "min", "h", "k", "m", "b", "g", "tok", "usd", "gb", "mb", "total", "active"),
        *("mean", "avg", "median", "max", "p50", "p90", "p95", "p99", "in", "out", "input", "output", "train", "infer"),
    )
)

#: Of so many things in a second.
_SPEED = re.compile(r"(/|(?:^|[\W_])per[\W_])\s*(s|secs?|seconds?|min|minutes?|h|hours?)(?![\w-])", re.IGNORECASE)

#: What may be a score where nothing else is one, the less the better, and the more the better.
COSTS = frozenset(("a time", "a price", "memory", "energy"))
MEASURED = COSTS | {"a speed"}

#: What becomes a covariate: numbers that say something of a system.
COVARIATES = MEASURED | {"a size", "a length", "a count", "compute", "a setting"}

#: How names begin of settings, as tools that log runs export them, and of what is computed from another column.
_BEGINNINGS = {
    re.compile(r"((params?|hparams?)[./_]|(config|args)[./])", re.IGNORECASE): "a setting",
    re.compile(r"rank_(test|train|by|of|in)_"): "an order",
    re.compile(r"Δ(\s|$)"): "a difference",
}

#: The end of the name of a bound or an error of a score, as in `rating_q025`.
_BOUND = re.compile(r"_(stderr|std_?err|standard_error|std|stdev|ci|ci_low(er)?|ci_(high|upper)|q0\d+|q9\d+)$")

#: Words that scores are called by: with one of them a column is a score whatever its numbers are.
_SCORES = frozenset(
    (
        *("acc", "accuracy", "f1", "bleu", "rouge", "chrf", "comet", "cider", "meteor", "spice", "map", "mrr", "ndcg"),
        *("auc", "auroc", "auprc", "precision", "recall", "mcc", "em", "elo", "rating", "score", "scores", "points"),
        *("reward", "return", "returns", "win", "winrate", "wins", "pass", "psnr", "ssim", "fid", "iou", "miou"),
        *("dice", "r2", "spearman", "pearson", "correlation", "ppl", "perplexity", "wer", "mos", "mme", "ocrbench"),
        *("bench", "error", "errors", "loss", "rmse", "mae", "mse", "correct", "solved", "resolved", "passed"),
        *("success", "rate"),
    )
)

#: First words of how sure another column is.
_SURE = frozenset(("std", "stdev", "stddev", "stderr"))

_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[/.]\d{1,2}[/.](\d{4}|\d{2}))([T ].*)?")

#: A number with any signs, but without letters; and a cell that begins like one.
_NUMBER, _BEGINS = re.compile(r"[^\w]*\d[^A-Za-z]*"), re.compile(r"[^\w]*\d")


@lru_cache(maxsize=2**14)
def bare(name: str) -> str:
    """Return a name in small letters, without symbols and without what stands in brackets.

    >>> bare("#Params (B)"), bare("Average ⬆️"), bare("Avg. Length"), bare("modelSize")
    ('params', 'average', 'avg_length', 'model_size')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", name))
    return "_".join(re.findall(r"[^\W_]+", spaced.lower()))


@lru_cache(maxsize=2**14)
def described(column: SourceColumn) -> str:
    """Return what a column holds in place of scores, as far as its name says it; empty where it does not.

    The last word decides, so "avg_tokens" is a count and "token_accuracy" a score; an arrow says that it is a score.

    >>> names = ("rating_q025", "avg_tokens", "#", "Training compute (FLOP)", "seconds_per_case", "QNLI", "winrate")
    >>> [described(SourceColumn(name, "number")) for name in names]
    ['how sure a score is', 'a count', 'a count', 'compute', 'a time', '', '']
    >>> [described(SourceColumn(name, "number")) for name in ("peak_mem_gb", "price_in", "img/s", "samples_per_sec")]
    ['memory', 'a price', 'a speed', 'a speed']
    """
    if says_direction(column.name) is not None:
        return ""
    name = bare(column.name) or column.name.strip()
    of_each = re.sub("^(avg|average|mean)_", "", name)
    words = re.split("_(?:per|of|to|for|in|at|on)_", of_each)[0].split("_")
    last = [words[0], *(word for word in words[1:] if word in _HEADS or word not in _BEHIND)][-1]
    units = (unit.strip().lower() for unit in re.findall(r"[(\[]([^)\]]*)[)\]]", column.name))
    said = _BY_NAME.get(name) or _BY_NAME.get(of_each, "")
    if not said and (_BOUND.search(name) or (words[0] in _SURE and len(words) > 1)):
        said = "how sure a score is"
    if not said and _SCORES.isdisjoint(words):  # an error may be in seconds
        found = (_UNITS.get(unit, "a price" if unit[:1] in {"$", "€", "£"} else "") for unit in units)
        said = next(filter(None, found), "")
    said = said or _HEADS.get(last, "")
    if _SPEED.search(column.name) and said not in COSTS:
        return "a speed"
    said = said or next((what for start, what in _BEGINNINGS.items() if start.match(column.name)), "")
    if said or column.kind != "integer" or words == ["errors"]:
        return said
    counted = (words[0] in _NUMBERS_OF and len(words) > 1) or column.name.lstrip().startswith("#")
    return "a count" if counted and _RESULTS.isdisjoint(words) else _WHOLE.get(words[-1], "")


def is_cost(name: str) -> bool:
    """Return whether a name is that of times, prices, memory or energy, the less the better.

    >>> list(map(is_cost, ("Q1 (s)", "total_cost", "tokens/s", "neg_latency")))
    [True, True, False, False]
    """
    return described(SourceColumn(name, "number")) in COSTS and bare(name).split("_")[0] not in TURNED


#: Beginnings of the names of benchmarks that many know, without blanks and signs.
_BENCHMARKS = re.compile(
    "mmlu|gsm8k|humaneval|mbpp|hellaswag|arc[ce]|arc(easy|challenge)|winogrande|truthfulqa|gpqa|math(500|lvl)?$|bbh|ifeval|"
    "musr|drop$|squad|boolq|piqa|siqa|copa$|rte$|mnli|qnli|qqp|sst2|cola$|mrpc|stsb|wnli|glue|superglue|xnli|mgsm|aime|"
    "livecodebench|swebench|mmmu|mathvista|imagenet|cifar|coco|librispeech|wmt\\d|flores|lambada|triviaqa|openbookqa|"
    "commonsenseqa|agieval|ceval|cmmlu|docvqa|chartqa|hotpotqa|msmarco|longbench|mtbench|simpleqa|ceval|race[mh]?$"
)


def names_benchmarks(names: Sequence[str]) -> bool:
    """Return whether two or more names, and half of all, are those of benchmarks that many know.

    >>> names_benchmarks(["MMLU-Pro", "GSM8K", "ours"]), names_benchmarks(["gpt-4", "MMLU tuned", "b"])
    (True, False)
    """
    known = sum(_BENCHMARKS.match(bare(name).replace("_", "")) is not None for name in names)
    return known > 1 and 2 * known >= len(names)


def sounds_scored(name: str) -> bool:
    """Return whether a name holds a word that scores are called by.

    >>> sounds_scored("BLEU-4"), sounds_scored("ctx")
    (True, False)
    """
    return not _SCORES.isdisjoint(bare(name).split("_")) or says_direction(name) is not None


def contents(cells: Sequence[str | None]) -> str | None:
    """Return what the cells of a column of text hold: "dates", "text", or None if they may be scores.

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
    """Return whether a text is a finite number.

    >>> is_number("0.5"), is_number("m1"), is_number("nan")
    (True, False, False)
    """
    try:
        return isfinite(float(text))
    except ValueError:
        return False


#: Names of columns of text that do not name systems.
_NOT_SYSTEMS = frozenset(
    (
        *(USUAL["task"] + USUAL["metric"] + USUAL["text"] + USUAL["gold"] + USUAL["prediction"] + USUAL["instance"]),
        *("winner", "judge", "annotator"),
    )
)


def may_name_systems(column: SourceColumn) -> bool:
    """Return whether a column of text without a usual name may hold the systems.

    >>> may_name_systems(SourceColumn("LLM", "text")), may_name_systems(SourceColumn("license", "text"))
    (True, False)
    """
    if column.name == "index":  # what pandas calls an index without a name
        return column.kind == "text"
    return column.kind == "text" and not described(column) and bare(column.name) not in _NOT_SYSTEMS
