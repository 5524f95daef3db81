"""Make the small simulated files that the pages use, and pack them for `podium example`: `python docs/example.py`."""

import csv
import json
import math
import random
import runpy
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import podium

#: Words of a good, a bad and any review.
_GOOD = ("fine", "good", "great", "moving", "funny", "clever")
_BAD = ("bad", "dull", "poor", "silly", "slow", "flat")
_PLAIN = ("film", "plot", "actor", "scene", "music", "camera", "ending", "story")

#: How often a classifier is right where a review is easy, and where it is hard.
_CLASSIFIERS = {"bert": (0.97, 0.72), "roberta": (0.98, 0.64), "lstm": (0.93, 0.52), "bag of words": (0.95, 0.31)}

#: How often a reader is right on average.
_READERS = {"large": 0.75, "medium": 0.6, "small": 0.5, "tiny": 0.4}

#: How often a model that a harness runs is right.
_MODELS = {"org__large": 0.8, "org__medium": 0.7, "org__small": 0.5}

#: How often a new run of the model breaks an answer that was right, and mends one that was wrong.
_CHANGES = {"pr": (0.012, 0.04), "quantized": (0.06, 0.04)}

#: How strong models are that people compare, in log-odds.
_FIGHTERS = {"large": 1.2, "medium": 0.7, "small": 0.6, "tiny": -0.4, "base": -1.0}

#: How relevant documents of a run are, on average.
_RUNS = {"bm25": 0.9, "dense": 1.3, "hybrid": 1.6}

_DATE = "2026-11-21T01-42-47.288903"

_CONFIG = """\
qrels:
  covid: covid.qrels
  antique: antique.qrels
available_rankings:
{runs}
display_names:
  covid: TREC Covid
  antique: Antique
"""


def write_files(folder: Path) -> None:
    """Write all files into a folder, made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    _scores(folder)
    _groups(folder)
    _tasks(folder)
    _table(folder)
    _priced(folder)
    _answers(folder)
    _effects(folder)
    _metrics(folder)
    _reviews(folder)
    _retrieval(folder)
    _harness(folder)
    _runs(folder)
    _months(folder)
    _battles(folder)
    _judged(folder)
    _prompted(folder)
    runpy.run_path(str(Path(__file__).with_name("example_logs.py")))["write_files"](folder)


def _write(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def _scores(folder: Path) -> None:
    """Six systems, each a little better than the one before, on eight tasks of 100 instances."""
    scores = podium.simulate.gumbel(6, 8, 100, dispersion=0.1, rng=0).scores
    rows = [
        (task.name, system, f"{task.name}-{number:03}", f"{score:.4f}")
        for task in scores.tasks
        for system, values in zip(scores.systems, task.values, strict=True)
        for number, score in enumerate(values, 1)
    ]
    _write(folder / "scores.csv", ("task", "system", "instance", "score"), rows)


def _groups(folder: Path) -> None:
    """Groups of these tasks."""
    _write(
        folder / "groups.csv", ("task", "group"), [("task [1-3]", "easy"), ("task [45]", "long"), ("task 8", "long")]
    )


def _tasks(folder: Path) -> None:
    """Properties of these tasks: words in a text, and where texts are from."""
    words = (28, 15, 9, 26, 12, 43, 31, 18)
    rows = [(f"task {row}", number, "news" if row % 2 else "web") for row, number in enumerate(words, start=1)]
    _write(folder / "tasks.csv", ("task", "words", "source"), rows)


def _table(folder: Path) -> None:
    """Three systems on ten tasks, one score each, as papers print them."""
    chance = random.Random(3)
    tasks = ("cola", "sst2", "mrpc", "stsb", "qqp", "mnli", "qnli", "rte", "wnli", "boolq")
    level = {task: chance.uniform(55, 92) for task in tasks}
    rows = [
        (system, *(f"{level[task] + gain + chance.gauss(0, 1.2):.1f}" for task in tasks))
        for system, gain in (("baseline", 0.0), ("ours", 1.6), ("larger", 2.4))
    ]
    _write(folder / "table.csv", ("system", *tasks), rows)


def _priced(folder: Path) -> None:
    """Eight models on 20 tasks, with what is known of them beside scores, as boards have it."""
    chance = random.Random(9)
    models = (
        *(("small", 0.62, 0.2, 3, "MIT"), ("small-tuned", 0.66, 0.2, 3, "MIT"), ("medium", 0.7, 1.5, 14, "Apache-2.0")),
        *(("large", 0.78, 6.0, 70, "Apache-2.0"), ("dense", 0.69, 9.0, 70, "MIT"), ("closed", 0.8, 24.0, "", "none")),
        *(("closed-mini", 0.73, 1.2, "", "none"), ("old", 0.6, 12.0, 65, "MIT")),
    )
    levels = [chance.gauss(0, 0.1) for _ in range(20)]
    head = ("model", "cost", "params (B)", "license", "released", "link", *(f"task {k}" for k in range(1, 21)))
    rows = [
        (
            *(name, cost, size, licence, f"2026-{3 + place:02}-11", f"https://example.org/{name}"),
            *(f"{100 * min(mean + level + chance.gauss(0, 0.025), 1):.1f}" for level in levels),
        )
        for place, (name, mean, cost, size, licence) in enumerate(models)
    ]
    _write(folder / "priced.csv", head, rows)


def _answers(folder: Path) -> None:
    """Four systems answer 90 questions on 30 passages, right or wrong; and 40 others, five times."""
    chance = random.Random(4)
    rows = []
    for passage in range(1, 31):
        hard, liking = chance.gauss(0, 0.2), [chance.gauss(0, 0.1) for _ in _READERS]
        for question in range(1, 4):
            for (system, ability), own in zip(_READERS.items(), liking, strict=True):
                right = chance.random() < ability + hard + own
                rows.append((system, f"p{passage:02}-q{question}", f"p{passage:02}", int(right)))
    _write(folder / "passages.csv", ("system", "instance", "passage", "score"), rows)
    runs = [
        (system, question, seed, int(chance.random() < ability + chance.gauss(0, 0.2)))
        for system, ability in _READERS.items()
        for question in range(1, 41)
        for seed in range(1, 6)
    ]
    _write(folder / "runs.csv", ("system", "instance", "seed", "score"), runs)


def _effects(folder: Path) -> None:
    rows = [("rte", -0.026, 0.00012), ("sst2", -0.02, 0.00009), ("mnli", -0.011, 0.00002), ("cola", 0.013, 0.0003)]
    _write(folder / "effects.csv", ("task", "effect", "variance"), rows)


def _metrics(folder: Path) -> None:
    """Two systems: three metrics of the same 100 summaries, and four test sets of their own."""
    chance = random.Random(7)
    metrics, others = ("faithful", "fluent", "relevant"), ("cnn", "xsum", "samsum", "multi")
    rows = []
    for task in (*metrics, *others):
        group, gain = ("doc" if task in metrics else task), chance.gauss(0.25, 0.08)
        for number in range(1, 101):
            quality = random.Random(f"{group} {number}")  # what the metrics of a summary have in common
            for system, ahead in (("base", 0.0), ("new", gain)):
                score = 5 + quality.gauss(0, 1) + ahead + chance.gauss(0, 0.6)
                rows.append((task, system, f"{group}-{number:03}", f"{score:.2f}"))
    _write(folder / "metrics.csv", ("task", "system", "instance", "score"), rows)


def _reviews(folder: Path) -> None:
    """Reviews to learn from, reviews to grade, and the answers of four classifiers."""
    rng = random.Random(0)
    for name, number in (("train", 200), ("samples", 300)):
        reviews = [(f"{name}-{index:03}", *_review(rng)) for index in range(number)]
        _write(folder / f"{name}.csv", ("sample_id", "text", "gold"), reviews)
    answers = []
    for system, chances in _CLASSIFIERS.items():
        for label, text, gold in reviews:
            hard = any(word in text for word in (_BAD if gold == "positive" else _GOOD))
            right = rng.random() < chances[hard]
            answer = gold if right else "negative" if gold == "positive" else "positive"
            answers.append((system, label, answer, f"{rng.uniform(0.5, 0.8 if hard else 1.0):.3f}"))
    _write(folder / "predictions.csv", ("system", "sample_id", "prediction", "confidence"), answers)


def _review(rng: random.Random) -> tuple[str, str]:
    """Draw a review and its label; one in three also has a word of the other side, and is hard."""
    gold = rng.choice(("positive", "negative"))
    own, other = (_GOOD, _BAD) if gold == "positive" else (_BAD, _GOOD)
    words = rng.sample(_PLAIN, 4) + rng.sample(own, 2) + rng.sample(other, rng.choice((0, 0, 1)))
    rng.shuffle(words)
    return " ".join(words), gold


def _retrieval(folder: Path) -> None:
    """Runs of three search engines on two collections, with qrels, and the file that says which is which."""
    rng = random.Random(1)
    for collection, first in (("covid", 1), ("antique", 1001)):
        qrels: list[str] = []
        runs: dict[str, list[str]] = {system: [] for system in _RUNS}
        for query in range(first, first + 20):
            grades = {f"{collection}{number}": rng.choice((0, 0, 0, 1, 2)) for number in range(12)}
            qrels += [f"{query} 0 {document} {grade}" for document, grade in grades.items()]
            for system, skill in _RUNS.items():
                seen = {document: rng.gauss(skill * grade, 1) for document, grade in grades.items()}
                best = sorted(seen, key=seen.__getitem__, reverse=True)
                runs[system] += [
                    f"{query} Q0 {document} {place} {seen[document]:.4f} {system}"
                    for place, document in enumerate(best, 1)
                ]
        files = {f"{collection}.qrels": qrels} | {f"{collection}.{system}.run": run for system, run in runs.items()}
        for name, lines in files.items():
            (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    listed = [f"  {system}:\n    covid: covid.{system}.run\n    antique: antique.{system}.run" for system in _RUNS]
    (folder / "config.yaml").write_text(_CONFIG.format(runs="\n".join(listed)), encoding="utf-8")


def _harness(folder: Path) -> None:
    """Logs of three models on three tasks."""
    chance = random.Random(6)
    for model, ability in _MODELS.items():
        right = {task: [float(chance.random() < ability) for _ in range(100)] for task in ("arc_easy", "boolq", "piqa")}
        _logs(folder / "lm-eval" / model, model, right)


def _runs(folder: Path) -> None:
    """Logs of one model before and after two changes."""
    chance = random.Random(8)
    before = {task: [float(chance.random() < 0.7) for _ in range(400)] for task in ("arc_easy", "boolq", "piqa")}
    _logs(folder / "main" / "org__model", "org__model", before)
    for place, (run, (breaks, mends)) in enumerate(_CHANGES.items(), start=2):
        after = {
            task: [one - (chance.random() < breaks) if one else float(chance.random() < mends) for one in right]
            for task, right in before.items()
        }
        _logs(folder / run / "org__model", "org__model", after, _DATE.replace("-21T", f"-2{place}T"))


def _logs(logs: Path, model: str, tasks: dict[str, list[float]], date: str = _DATE) -> None:
    """Logs as lm-evaluation-harness writes them with `--log_samples`, without what podium does not need."""
    logs.mkdir(parents=True, exist_ok=True)
    results = {}
    for task, right in tasks.items():
        known = {"doc": {}, "resps": [], "filter": "none", "metrics": ["acc"]}
        samples = [{"doc_id": at, **known, "acc": one} for at, one in enumerate(right)]
        lines = "".join(json.dumps(sample) + "\n" for sample in samples)
        (logs / f"samples_{task}_{date}.jsonl").write_text(lines, encoding="utf-8")
        results[task] = {"alias": task, "acc,none": sum(right) / len(right), "acc_stderr,none": 0.05}
    said = {"versions": dict.fromkeys(results, 1.0), "higher_is_better": {name: {"acc": True} for name in results}}
    whole = json.dumps({"results": results, **said, "configs": {}, "model_name": model.replace("__", "/")})
    (logs / f"results_{date}.json").write_text(whole, encoding="utf-8")


def _months(folder: Path) -> None:
    """Three versions of a table: a system is repaired, then another is run again, and one comes with a task."""
    right = {"large": 0.72, "medium": 0.64, "small": 0.7, "tiny": 0.55}
    (folder / "months").mkdir(exist_ok=True)
    for month, again, tasks, more in (
        ("2026-01", (), ("news", "law"), {}),
        ("2026-02", ("medium",), ("news", "law"), {}),
        ("2026-03", ("medium", "small"), ("news", "law", "code"), {"new": 0.86}),
    ):
        better = {**right, **({"medium": 0.84} if again else {}), **more}
        rows = []
        for task in tasks:
            for system, chance in better.items():
                rng = random.Random(f"{task} {system} {system in again}")
                rows += [(task, system, f"{task} {k}", int(rng.random() < chance)) for k in range(150)]
        _write(folder / "months" / f"{month}.csv", ("task", "system", "instance", "score"), rows)
    dates = {"system 1": "2025-09-01", "system 2": "2025-09-01", "system 3": "2025-11-15", "system 4": "2025-11-15"}
    dates |= {"system 5": "2026-01-20", "system 6": "2026-03-02"}
    _write(folder / "released.csv", ("system", "date"), dates.items())


def _battles(folder: Path) -> None:
    """Forty people compare two models at a time, as in an arena; each has tastes, and all like long answers."""
    chance, style = random.Random(7), random.Random(8)
    tastes = [{model: chance.gauss(strength, 0.5) for model, strength in _FIGHTERS.items()} for _ in range(40)]
    rows = []
    for number in range(600):
        judge = chance.randrange(len(tastes))
        one, other = chance.sample(list(_FIGHTERS), 2)
        odds = math.exp(tastes[judge][one] - tastes[judge][other])
        winner = "model_a" if chance.random() < odds / (1 + odds) else "model_b"
        if chance.random() < 0.15:
            winner = chance.choice(("tie", "tie", "tie (bothbad)"))
        language = "English" if number % 3 else "German"
        tokens, lists = [], []
        for model, side in ((one, "model_a"), (other, "model_b")):
            longer = 0.4 * (model in {"large", "medium"}) + 0.3 * (side == winner)
            tokens.append(round(math.exp(style.gauss(5 + longer, 0.5))))
            lists.append(int(style.gauss(2 + longer, 1.5) ** 2 / 3))
        rows.append((f"q{number:03}", one, other, winner, f"user_{judge}", language, *tokens, *lists))
    beside = ("judge", "language", "tokens_a", "tokens_b", "lists_a", "lists_b")
    _write(folder / "battles.csv", ("question_id", "model_a", "model_b", "winner", *beside), rows)


def _judged(folder: Path) -> None:
    """Five assistants answer 300 prompts; a judge grades all answers, too kindly, and people those of 60 prompts."""
    chance = random.Random(8)
    labelled = set(chance.sample(range(300), 60))
    rows = []
    for number in range(300):
        hard = chance.gauss(0, 1)
        for model, strength in _FIGHTERS.items():
            good = chance.random() < 1 / (1 + math.exp(hard - strength))
            graded = good if chance.random() < 0.94 else True
            rows.append((model, f"p{number:03}", int(graded), int(good) if number in labelled else ""))
    _write(folder / "judged.csv", ("model", "prompt_id", "score", "human"), rows)


def _prompted(folder: Path) -> None:
    """Five assistants answer 40 questions, each asked in eight ways."""
    chance = random.Random(12)
    ways = ("plain", "polite", "expert", "step by step", "short", "letter", "examples", "json")
    liked = {(model, way): chance.gauss(0, 0.4) for model in _FIGHTERS for way in ways}
    rows = []
    for number in range(40):
        hard, known = chance.gauss(0, 1), {model: chance.gauss(0, 1) for model in _FIGHTERS}
        for (model, way), taste in liked.items():
            right = chance.random() < 1 / (1 + math.exp(hard - known[model] - _FIGHTERS[model] - taste))
            rows.append((model, f"q{number:02}", way, int(right)))
    _write(folder / "prompts.csv", ("model", "question_id", "template", "correct"), rows)


def pack(archive: Path) -> None:
    """Pack all files into an archive, whose bytes depend on theirs alone."""
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(archive, "w") as packed:
        write_files(folder := Path(name))
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, path.read_bytes(), compresslevel=9)


if __name__ == "__main__":
    if sys.argv[1:]:
        write_files(Path(sys.argv[1]))
    else:
        pack(Path(podium.__file__).parent / "data" / "examples.zip")
