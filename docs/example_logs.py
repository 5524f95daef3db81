"""Small results of three models and of programs, in the layouts of the tools that podium reads: see docs/tools/."""

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

#: How often each model is right.
_MODELS = {"large": 0.8, "medium": 0.65, "small": 0.5}

#: How many tokens they write at least.
_TOKENS = {"large": 60, "medium": 40, "small": 38}

#: Tasks, and how many instances each has.
_TASKS = ("arc_easy", "boolq", "piqa")
_SIZE = 60

_DATE = "2026-11-21T01-42-47.288903"

_Right = Mapping[str, Mapping[str, Sequence[float]]]


def write_files(folder: Path) -> None:
    """Write a folder for each tool, named as after `--tool` or `--preset`."""
    for place, (tool, write) in enumerate(_TOOLS.items()):
        chance = Random(place)
        right = {
            model: {task: [float(chance.random() < ability) for _ in range(_SIZE)] for task in _TASKS}
            for model, ability in _MODELS.items()
        }
        write(folder / tool, right)


def _json(path: Path, value: Any) -> None:
    _text(path, json.dumps(value, indent=1) + "\n")


def _lines(path: Path, rows: Sequence[Any]) -> None:
    _text(path, "".join(json.dumps(row) + "\n" for row in rows))


def _text(path: Path, words: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(words, encoding="utf-8", newline="\n")


def _parquet(path: Path, rows: Sequence[Any]) -> None:
    import pyarrow as pa  # noqa: PLC0415  # loaded by examples only
    from pyarrow import parquet  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path)


def _each(right: _Right) -> Iterator[tuple[str, str, Sequence[float]]]:
    yield from ((model, task, scores) for model, tasks in right.items() for task, scores in tasks.items())


def _inspect(folder: Path, right: _Right) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for model, task, scores in _each(right):
        asked = {"model": f"org/{model}", "task": task, "created": "2026-11-21T01:42:47", "config": {"epochs": 2}}
        metrics = {"accuracy": {"name": "accuracy", "value": fmean(scores)}}
        scored = [{"name": "match", "scorer": "match", "reducer": "mean", "metrics": metrics}]
        header = {"version": 2, "status": "success", "eval": asked, "results": {"scores": scored}}
        samples = [
            {
                "id": at // 2,
                "epoch": at % 2 + 1,
                "input": f"question {at // 2}",
                "scores": {"match": {"value": "IC"[int(one)]}},
                "total_time": round(_TOKENS[model] / 50 * (1 + at % 7 / 10), 2),
                "model_usage": {
                    f"org/{model}": {"input_tokens": 90 + at % 11, "output_tokens": _TOKENS[model] + at % 13}
                },
            }
            for at, one in enumerate(scores)
        ]
        with zipfile.ZipFile(folder / f"2026-11-21T01-42-47_{task}_{model}.eval", "w", zipfile.ZIP_DEFLATED) as file:
            for name, value in (("header.json", header), ("summaries.json", samples)):
                file.writestr(zipfile.ZipInfo(name), json.dumps(value), zipfile.ZIP_DEFLATED)


def _helm(folder: Path, right: _Right) -> None:
    suite = folder / "runs" / "v1"
    groups = [{"name": task, "environment": {"main_name": "exact_match", "main_split": "test"}} for task in _TASKS]
    _json(suite / "schema.json", {"metrics": [{"name": "exact_match", "lower_is_better": False}], "run_groups": groups})
    for model, task, scores in _each(right):
        run = suite / f"{task}:model=org_{model}"
        about = {"scenario_spec": {"class_name": task}, "adapter_spec": {"model": f"org/{model}"}, "metric_specs": []}
        _json(run / "run_spec.json", {"name": run.name, **about, "groups": [task]})
        named = {"name": "exact_match", "split": "test"}
        rows = [
            {
                "instance_id": f"id{at}",
                "train_trial_index": 0,
                "stats": [{"name": named, "count": 1, "sum": one, "mean": one}],
            }
            for at, one in enumerate(scores)
        ]
        _json(run / "per_instance_stats.json", rows)


def _helm_tables(folder: Path, right: _Right) -> None:
    header = [{"value": "Model"}, {"value": "Mean win rate"}] + [
        {"value": f"{task} - EM", "lower_is_better": False, "metadata": {"metric": "EM", "run_group": task}}
        for task in _TASKS
    ]
    rows = [
        [{"value": f"org/{model}"}, {"value": 0.5}, *({"value": fmean(scores)} for scores in tasks.values())]
        for model, tasks in right.items()
    ]
    _json(folder / "groups" / "core_scenarios.json", [{"title": "Accuracy", "header": header, "rows": rows}])


def _lighteval(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        results = {f"{task}|0": {"acc": fmean(scores), "acc_stderr": 0.05} for task, scores in tasks.items()}
        general = {"config_general": {"model_config": {"model_name": f"org/{model}"}}, "summary_tasks": {}}
        metrics = {"metrics": [{"metric_name": "acc", "higher_is_better": True}]}
        whole = {
            **general,
            "results": {**results, "all": {"acc": 0.5}},
            "config_tasks": dict.fromkeys(results, metrics),
        }
        _json(folder / "results" / "org" / model / f"results_{_DATE}.json", whole)
        details = folder / "details" / "org" / model / _DATE
        for task, scores in tasks.items():
            rows = [
                {"doc": {"id": str(at), "task_name": f"{task}|0"}, "metric": {"acc": one}}
                for at, one in enumerate(scores)
            ]
            _parquet(details / f"details_{task}|0_{_DATE}.parquet", rows)


def _opencompass(folder: Path, right: _Right) -> None:
    for model, task, scores in _each(right):
        details = {str(at): {"pred": "A", "correct": bool(one)} for at, one in enumerate(scores)}
        whole = {"accuracy": 100 * fmean(scores), "details": {"type": "GEN", **details}}
        _json(folder / "20261121_014247" / "results" / model / f"{task}.json", whole)


def _mteb(folder: Path, right: _Right) -> None:
    sizes = {"large": 560_000_000, "medium": 278_000_000, "small": 118_000_000}
    tasks = ("Banking77", "SciFact", "STS12", "STS13", "STS14", "TwentyNewsgroups")
    for model in right:
        place = folder / "results" / f"org__{model}" / "main"
        about = {"name": f"org/{model}", "revision": "main", "n_parameters": sizes[model], "embed_dim": 384}
        _json(place / "model_meta.json", about)
        for at, task in enumerate(tasks):
            score = _MODELS[model] + 0.03 * ((at * len(model)) % 5)
            scores = {"test": [{"hf_subset": "default", "languages": ["eng-Latn"], "main_score": score}]}
            told = {"task_name": task, "dataset_revision": "1", "mteb_version": "2.1.0", "evaluation_time": 9.5}
            _json(place / f"{task}.json", {**told, "scores": scores})


def _every_eval_ever(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        name = folder / "data" / "demo" / "org" / model / f"{model}.json"
        results = [
            {
                "evaluation_name": task,
                "source_data": {"dataset_name": task, "source_type": "other"},
                "metric_config": {"metric_name": "accuracy", "lower_is_better": False, "score_type": "continuous"},
                "score_details": {"score": fmean(scores)},
            }
            for task, scores in tasks.items()
        ]
        told = {"schema_version": "0.3.0", "evaluation_id": f"demo/{model}", "retrieved_timestamp": "1795225366"}
        _json(name, {**told, "model_info": {"name": model, "id": f"org/{model}"}, "evaluation_results": results})
        rows = [
            {"evaluation_id": f"demo/{model}", "model_id": f"org/{model}", "evaluation_name": task}
            | {"sample_id": str(at), "evaluation": {"score": one, "is_correct": bool(one)}}
            for task, scores in tasks.items()
            for at, one in enumerate(scores)
        ]
        _lines(name.with_name(f"{model}_samples.jsonl"), rows)


def _big_bench(folder: Path, right: _Right) -> None:
    for place, (model, tasks) in enumerate(right.items()):
        about = {"model_family": "demo", "model_name": model, "total_params": 10 ** (10 - place)}
        for task, scores in tasks.items():
            entry = {"score_dict": {"exact_str_match": fmean(scores)}, "preferred_score": "exact_str_match"}
            bounds = {"high_score": 1, "low_score": 0, "number_of_shots": 0, "subtask_description": task}
            whole = {"model": about, "task": {"task_name": task}, "scores": [{**entry, **bounds}]}
            _json(folder / task / "results" / f"scores_demo_{model}.json", whole)


def _explainaboard(folder: Path, right: _Right) -> None:
    for model, task, scores in _each(right):
        about = {"task_name": "text-classification", "dataset_name": task, "system_name": model}
        _json(
            folder / f"{task}-{model}.json", {**about, "results": {"overall": {"Accuracy": {"value": fmean(scores)}}}}
        )


def _open_llm_leaderboard(folder: Path, right: _Right) -> None:
    columns = ("ARC (25-shot)", "HellaSwag (10-shot)", "MMLU (5-shot)")
    rows = [",".join(("Model", "Average", *columns, "Parameters"))]
    for model, tasks in right.items():
        scores = [100 * fmean(scores) for scores in tasks.values()]
        rows.append(",".join((f"org/{model}", f"{fmean(scores):.1f}", *(f"{score:.1f}" for score in scores), "7")))
    _text(folder / "20230904.csv", "\n".join(rows) + "\n")


def _promptfoo(folder: Path, right: _Right) -> None:
    rows: list[dict[str, Any]] = [
        {
            "promptIdx": place,
            "testIdx": at,
            "provider": {"id": f"org:{model}", "label": model},
            "prompt": {"raw": "Answer: {{question}}", "label": "plain"},
            "vars": {"question": f"question {at}"},
            "success": bool(one),
            "score": one,
            "namedScores": {},
            "failureReason": int(not one),
            "latencyMs": 100 + at,
            "cost": 0.001,
            "testCase": {"vars": {"question": f"question {at}"}},
        }
        for place, (model, tasks) in enumerate(right.items())
        for at, one in enumerate(tasks["boolq"])
    ]
    passed = sum(row["success"] for row in rows)
    stats = {"successes": passed, "failures": len(rows) - passed, "errors": 0}
    results = {"version": 3, "timestamp": "2026-11-21T01:42:47Z", "prompts": [], "results": rows, "stats": stats}
    _json(folder / "results.json", {"evalId": "eval-1", "results": results, "config": {"description": "quiz"}})


def _deepeval(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        cases = [
            {
                "name": f"test_case_{at}",
                "input": f"question {at}",
                "metricsData": [{"name": "Correctness", "threshold": 0.5, "success": bool(one), "score": one}],
            }
            for at, one in enumerate(tasks["boolq"])
        ]
        scores = [{"metric": "Correctness", "scores": list(tasks["boolq"])}]
        whole = {
            "testCases": cases,
            "metricsScores": scores,
            "hyperparameters": {"model": model},
            "datasetAlias": "quiz",
        }
        _json(folder / model / "test_run_20261121_014247.json", whole)


def _openai_evals(folder: Path, right: _Right) -> None:
    for model, task, scores in _each(right):
        spec = {"completion_fns": [model], "eval_name": f"{task}.test.v1", "run_id": "1", "created_at": "2026-11-21"}
        events = [
            {
                "run_id": "1",
                "event_id": at,
                "sample_id": f"{task}.test.{at}",
                "type": "match",
                "data": {"correct": bool(one)},
            }
            for at, one in enumerate(scores)
        ]
        report = {"final_report": {"accuracy": fmean(scores)}, "run_id": "1"}
        _lines(folder / f"1_{model}_{task}.jsonl", [{"spec": spec}, *events, report])


def _simple_evals(folder: Path, right: _Right) -> None:
    for model, task, scores in _each(right):
        _json(folder / f"{task.replace('_', '')}_{model}.json", {"score": fmean(scores), "score:std": 0.4})


def _swe_bench(folder: Path, right: _Right) -> None:
    repositories = (
        "django__django",
        "sympy__sympy",
        "astropy__astropy",
        "psf__requests",
        "pallets__flask",
        "pylint__pylint",
    )
    for model, tasks in right.items():
        issues = {f"{repositories[at % 6]}-{at}": one for at, one in enumerate(tasks["boolq"])}
        lists = {
            "resolved_ids": [issue for issue, one in issues.items() if one],
            "unresolved_ids": [issue for issue, one in issues.items() if not one],
            **{name: [] for name in ("error_ids", "empty_patch_ids", "incomplete_ids")},
        }
        _json(folder / f"org__{model}.lite.json", {"schema_version": 2, "total_instances": len(issues), **lists})


def _harbor(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        for at, one in enumerate(tasks["boolq"][:24]):
            trial = {
                "task_name": f"task-{at // 2}",
                "trial_name": f"task-{at // 2}__{at % 2}",
                "source": "terminal-bench@2.0",
                "agent_info": {"name": "agent", "model_info": {"name": model, "provider": "org"}},
                "agent_result": {"cost_usd": 0.1 + 0.01 * at, "n_input_tokens": 900},
                "verifier_result": {"rewards": {"reward": one}},
                "finished_at": "2026-11-21T01:42:47",
            }
            _json(folder / "jobs" / model / str(trial["trial_name"]) / "result.json", trial)


def _terminal_bench(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        scores = tasks["boolq"][:24]
        trials = [
            {"task_id": f"task-{at}", "trial_name": f"task-{at}.1-of-1", "is_resolved": bool(one)}
            for at, one in enumerate(scores)
        ]
        counts = {
            "n_resolved": int(sum(scores)),
            "n_unresolved": int(len(scores) - sum(scores)),
            "accuracy": fmean(scores),
        }
        _json(folder / "runs" / model / "results.json", {"results": trials, **counts})
        about = {"agent_name": "agent", "model_name": model, "dataset_name": "terminal-bench-core"}
        _json(folder / "runs" / model / "run_metadata.json", about)


def _tau2(folder: Path, right: _Right) -> None:
    for model, domains in right.items():
        for domain, scores in zip(("airline", "retail"), domains.values(), strict=False):
            found = [
                {"task_id": str(at // 4), "trial": at % 4, "agent_cost": 0.2, "reward_info": {"reward": one}}
                for at, one in enumerate(scores)
            ]
            agent = {"implementation": "llm_agent", "llm": model, "llm_args": {"temperature": 0.0}}
            info = {"num_trials": 4, "agent_info": agent, "environment_info": {"domain_name": domain}}
            tasks = [{"id": str(at)} for at in range(len(scores) // 4)]
            _json(folder / f"{model}_{domain}.json", {"info": info, "tasks": tasks, "simulations": found})


def _metr(folder: Path, right: _Right) -> None:
    rows = [
        {
            "task_family": f"family {at // 6}",
            "task_id": f"family {at // 6}/{at // 2}",
            "alias": model,
            "task_source": "HCAST",
            "score_binarized": int(one),
        }
        for model, tasks in right.items()
        for at, one in enumerate(tasks["boolq"])
    ]
    _lines(folder / "runs.jsonl", rows)


def _livebench(folder: Path, right: _Right) -> None:
    for at, (name, category) in enumerate((("zebra_puzzle", "reasoning"), ("olympiad", "math"))):
        rows = [
            {"question_id": f"q{number}", "task": name, "model": model, "score": one, "tstamp": 1.0}
            | {"category": category}
            for model, tasks in right.items()
            for number, one in enumerate(tasks[_TASKS[at]])
        ]
        _lines(folder / "live_bench" / category / name / "model_judgment" / "ground_truth_judgment.jsonl", rows)


def _reward_bench(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        results = [int(one) for scores in tasks.values() for one in scores]
        subset = [name for name in ("hep-python", "refusals-offensive", "alpacaeval-easy") for _ in range(_SIZE)]
        about = {"model": f"org/{model}", "model_type": "Seq. Classifier", "chat_template": "tokenizer"}
        found = {"id": list(range(len(results))), "subset": subset, "results": results}
        _json(folder / "eval-set-scores" / "org" / f"{model}.json", {**about, **found})


def _bfcl(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        for name, scores in zip(("simple", "multiple", "parallel"), tasks.values(), strict=True):
            wrong = [at for at, one in enumerate(scores) if not one]
            total = {"accuracy": fmean(scores), "correct_count": len(scores) - len(wrong), "total_count": len(scores)}
            rows = [{"id": f"{name}_{at}", "model_name": model, "valid": False} for at in wrong]
            _lines(folder / "score" / model / "non_live" / f"BFCL_v4_{name}_score.json", [total, *rows])


def _euroeval(folder: Path, right: _Right) -> None:
    names = ("angry-tweets", "scala-da", "dansk", "scandiqa-da", "danske-talemaader", "hellaswag-da")
    rows = []
    for model, tasks in right.items():
        for at, name in enumerate(names):
            raw = [{"test_mcc": 80 * _MODELS[model] + score + at} for score in tasks["boolq"][at : at + 10]]
            total = {"test_mcc": fmean(one["test_mcc"] for one in raw), "test_mcc_se": 0.3}
            results = {"raw": raw, "total": total}
            rows.append({"dataset": name, "model": f"org/{model}", "results": results, "euroeval_version": "15.0.0"})
    _lines(folder / "euroeval_benchmark_results.jsonl", rows)


def _aider(folder: Path, right: _Right) -> None:
    for at, board in enumerate(("edit_leaderboard", "polyglot_leaderboard")):
        entries = [
            f"- dirname: 2026-11-2{at}-01-42-47--{model}\n  model: {model}\n  edit_format: diff\n"
            f"  pass_rate_1: {80 * fmean(tasks[_TASKS[at]]):.1f}\n  pass_rate_2: {90 * fmean(tasks[_TASKS[at]]):.1f}\n"
            for model, tasks in right.items()
        ]
        _text(folder / f"{board}.yml", "\n".join(entries))


def _epoch_hub(folder: Path, right: _Right) -> None:
    for task in _TASKS:
        rows = [f"{model},{fmean(tasks[task]):.4f},2026-01-01,0.06" for model, tasks in right.items()]
        _text(folder / f"{task}.csv", "\n".join(["Model version,mean_score,Release date,stderr", *rows]) + "\n")


def _automl_benchmark(folder: Path, right: _Right) -> None:
    rows = [
        f"openml.org/t/{number},{task},{model},1h8c,{fold},{0.1 * scores[fold] + 0.8 * _MODELS[model]:.4f},auc,3600.0"
        for model, tasks in right.items()
        for number, (task, scores) in enumerate(zip(("adult", "car", "wine"), tasks.values(), strict=True))
        for fold in range(10)
    ]
    _text(folder / "results.csv", "\n".join(["id,task,framework,constraint,fold,result,metric,duration", *rows]) + "\n")


def _tabarena(folder: Path, right: _Right) -> None:
    rows = [
        {"method": model, "dataset": data, "fold": fold, "time_train_s": 1.5}
        | {"metric_error": 1 - 0.1 * scores[fold] - 0.8 * _MODELS[model]}
        for model, tasks in right.items()
        for data, scores in zip(("adult", "car", "wine"), tasks.values(), strict=True)
        for fold in range(10)
    ]
    _parquet(folder / "results.parquet", rows)


#: Seconds of programs, by how much there is to do.
_PROGRAMS = {"fast": 0.010, "slow": 0.014}
_SIZES = (1, 2, 4, 8, 16, 32)


def _times(seconds: float, size: int) -> list[float]:
    return [round(seconds * size * (1 + 0.02 * ((at * 7 + size) % 5)), 6) for at in range(5)]


def _pytest_benchmark(folder: Path, _: _Right) -> None:
    benchmarks = [
        {
            "group": None,
            "name": f"test_sort[{size}-{program}]",
            "params": {"size": size, "program": program},
            "stats": {"mean": fmean(_times(seconds, size)), "data": _times(seconds, size)},
        }
        for program, seconds in _PROGRAMS.items()
        for size in _SIZES
    ]
    about = {"machine_info": {"system": "Linux"}, "datetime": "2026-11-21T01:42:47", "version": "5.3.1"}
    _json(folder / "sorts.json", {**about, "benchmarks": benchmarks})


def _google_benchmark(folder: Path, _: _Right) -> None:
    benchmarks = [
        {
            "name": f"{program}/{size}",
            "run_name": f"{program}/{size}",
            "run_type": "iteration",
            "repetition_index": at,
            "real_time": 1000 * time,
            "cpu_time": 990 * time,
            "time_unit": "ms",
        }
        for program, seconds in _PROGRAMS.items()
        for size in _SIZES
        for at, time in enumerate(_times(seconds, size))
    ]
    _json(folder / "sorts.json", {"context": {"date": "2026-11-21T01:42:47"}, "benchmarks": benchmarks})


def _hyperfine(folder: Path, _: _Right) -> None:
    results = [
        {
            "command": f"{program} --size {size}",
            "mean": fmean(_times(seconds, size)),
            "times": _times(seconds, size),
            "exit_codes": [0] * 5,
            "parameters": {"program": program, "size": str(size)},
        }
        for program, seconds in _PROGRAMS.items()
        for size in _SIZES
    ]
    _json(folder / "sorts.json", {"results": results})


def _trec_eval(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        values = [(a + b + c) / 3 for a, b, c in zip(*tasks.values(), strict=True)][:30]
        lines = [f"{'map':<22}\t{query}\t{value:.4f}" for query, value in enumerate(values, 301)]
        lines += [f"{'runid':<22}\tall\t{model}", f"{'map':<22}\tall\t{fmean(values):.4f}"]
        _text(folder / f"{model}.txt", "\n".join(lines) + "\n")


def _ir_measures(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        lines = [
            f"{query}\tnDCG@10\t{score / 3 + _MODELS[model] / 3:.4f}" for query, score in enumerate(tasks["boolq"], 1)
        ]
        _text(folder / f"{model}.txt", "\n".join(lines) + "\n")


def _hugging_face(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        entries = [
            f"- dataset:\n    id: org/{task}\n  value: {100 * fmean(scores):.1f}\n" for task, scores in tasks.items()
        ]
        _text(folder / "org" / model / ".eval_results" / "results.yaml", "".join(entries))


def _battles(folder: Path, right: _Right) -> None:
    names, rows = list(right), []
    for at in range(240):
        one, other = names[at % 3], names[(at + 1) % 3]
        scores = [right[name][_TASKS[at % 2]][at // 4] for name in (one, other)]
        winner = "tie" if scores[0] == scores[1] else "model_a" if scores[0] > scores[1] else "model_b"
        rows.append(f"{one},{other},{winner},judge {at % 12}")
    _text(folder / "battles.csv", "\n".join(["model_a,model_b,winner,judge", *rows]) + "\n")


def _alpaca_eval(folder: Path, right: _Right) -> None:
    for model, tasks in right.items():
        rows = [
            {"instruction": f"instruction {at}", "generator_1": "reference", "generator_2": model, "annotator": "judge"}
            | {"preference": 1.2 + 0.6 * one}
            for at, one in enumerate(tasks["boolq"])
        ]
        _json(folder / model / "annotations.json", rows)


def _langfuse(folder: Path, right: _Right) -> None:
    rows = [
        f"{model},item-{at},{task},{one},NUMERIC"
        for model, task, scores in _each(right)
        for at, one in enumerate(scores)
    ]
    _text(folder / "scores.csv", "\n".join(["dataset_run_name,dataset_item_id,name,value,data_type", *rows]) + "\n")


def _ranx(folder: Path, right: _Right) -> None:
    for at, task in enumerate(("covid", "antique", "news", "web", "robust", "fever")):
        models = {
            model: {"scores": {"ndcg@10": scores["boolq"][at] / 9 + _MODELS[model]}} for model, scores in right.items()
        }
        _json(
            folder / f"{task}.json",
            {"metrics": ["ndcg@10"], "model_names": list(models), "stat_test": "student", **models},
        )


#: What writes the folder of each tool.
_TOOLS: dict[str, Callable[[Path, _Right], None]] = {
    "inspect": _inspect,
    "helm": _helm,
    "helm-tables": _helm_tables,
    "lighteval": _lighteval,
    "opencompass": _opencompass,
    "mteb": _mteb,
    "every-eval-ever": _every_eval_ever,
    "big-bench": _big_bench,
    "explainaboard": _explainaboard,
    "open-llm-leaderboard": _open_llm_leaderboard,
    "promptfoo": _promptfoo,
    "deepeval": _deepeval,
    "openai-evals": _openai_evals,
    "simple-evals": _simple_evals,
    "swe-bench": _swe_bench,
    "harbor": _harbor,
    "terminal-bench": _terminal_bench,
    "pytest-benchmark": _pytest_benchmark,
    "google-benchmark": _google_benchmark,
    "hyperfine": _hyperfine,
    "trec-eval": _trec_eval,
    "ranx": _ranx,
    "ir-measures": _ir_measures,
    "hugging-face": _hugging_face,
    "battles": _battles,
    "alpaca-eval": _alpaca_eval,
    "langfuse": _langfuse,
    "tau2-bench": _tau2,
    "metr": _metr,
    "livebench": _livebench,
    "reward-bench": _reward_bench,
    "bfcl": _bfcl,
    "euroeval": _euroeval,
    "aider": _aider,
    "epoch-hub": _epoch_hub,
    "automl-benchmark": _automl_benchmark,
    "tabarena": _tabarena,
}
