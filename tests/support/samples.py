"""One result file of every tool of which there is no genuine one here, written by hand after the tool's own code."""

import json
from typing import Any

_INSTANCES = [f"{name}__{name}-{number}" for name in ("django", "sympy") for number in (11, 12)]


def _lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


_HELM_COLUMN = {"value": "QA - F1", "lower_is_better": False, "metadata": {"metric": "F1", "run_group": "QA"}}

_TRIAL = {
    "id": "1",
    "trial_name": "hello.1-of-1.run",
    "task_id": "hello",
    "instruction": "say hello",
    "is_resolved": True,
    "failure_mode": "unset",
    "parser_results": {"test": "passed"},
}

_SIMULATION = {
    "id": "s1",
    "task_id": "0",
    "trial": 0,
    "duration": 9.5,
    "agent_cost": 0.1,
    "reward_info": {"reward": 1.0},
}

_TAU2 = {
    "timestamp": "2026-01-01T00:00:00",
    "info": {
        "num_trials": 1,
        "user_info": {"implementation": "user_simulator", "llm": "u"},
        "agent_info": {"implementation": "llm_agent", "llm": "m", "llm_args": {"temperature": 0.0}},
        "environment_info": {"domain_name": "retail", "policy": "be kind"},
    },
    "tasks": [{"id": "0"}],
    "simulations": [_SIMULATION],
}

_METR = {"task_family": "f", "task_id": "f/1", "alias": "m", "task_source": "HCAST", "score_binarized": 1}

_RECORD = {"dataset": "angry-tweets", "task": "sentiment", "model": "org/m", "euroeval_version": "15.0.0"}

#: By tool, texts of files by their paths.
SAMPLES: dict[str, dict[str, str]] = {
    "aider": {
        "polyglot.yml": "- dirname: 2025-01-01-00-00-00--m\n  model: m\n  pass_rate_1: 20.4\n  pass_rate_2: 35.6\n"
    },
    "arena": {"leaderboard-text.json": json.dumps({"math": {"m": {"rating": 1300.5, "rating_q025": 1290}}})},
    "automl-benchmark": {"results.csv": "id,task,framework,fold,result,duration\nt/1,adult,a,0,0.9,60\n"},
    "bfcl": {
        "score/m/BFCL_v4_simple_score.jsonl": _lines(
            {"accuracy": 0.5, "correct_count": 1, "total_count": 2},
            {"id": "simple_1", "model_name": "m", "test_category": "simple", "valid": False},
        )
    },
    "big-bench": {
        "results/results_gpt.json": json.dumps(
            {
                "model": {"model_family": "GPT", "model_name": "small", "total_params": 10},
                "task": {"task_name": "arithmetic"},
                "scores": [
                    {
                        "score_dict": {"exact_str_match": 0.5, "normalized_aggregate_score": 50},
                        "preferred_score": "exact_str_match",
                        "subtask_description": "1 digit",
                        "high_score": 1,
                        "low_score": 0,
                        "number_of_shots": 0,
                    }
                ],
            }
        )
    },
    "epoch-hub": {"gpqa.csv": "Model version,mean_score,Release date,stderr\nm,0.5,2025-01-01,0.1\n"},
    "euroeval": {
        "euroeval_benchmark_results.jsonl": _lines(
            {**_RECORD, "results": {"raw": [{"test_mcc": 50.0}], "total": {"test_mcc": 50.0, "test_mcc_se": 1.0}}}
        )
    },
    "harbor": {
        "job/hello__abc/result.json": json.dumps(
            {
                "id": "1",
                "task_name": "hello",
                "trial_name": "hello__abc",
                "source": "terminal-bench",
                "task_checksum": "0",
                "config": {},
                "agent_info": {"name": "agent", "version": "1", "model_info": {"name": "m", "provider": "p"}},
                "verifier_result": {"rewards": {"reward": 1.0}},
                "started_at": "2026-01-01T00:00:00Z",
                "finished_at": "2026-01-01T00:01:00Z",
            }
        )
    },
    "helm-tables": {
        "groups/qa.json": json.dumps(
            [
                {
                    "title": "Accuracy",
                    "header": [{"value": "Model"}, _HELM_COLUMN],
                    "rows": [[{"value": "A"}, {"value": 0.5}]],
                    "links": [],
                    "name": "accuracy",
                }
            ]
        )
    },
    "hugging-face": {
        "org/m/.eval_results/hle.yaml": "- dataset:\n    id: cais/hle\n    task_id: default\n  value: 20.9\n",
        "org/n/README.md": "---\nmodel-index:\n- name: n\n  results:\n  - task: {type: qa}\n    dataset: {type: qa}\n"
        "    metrics:\n    - type: f1\n      value: 0.5\n---\n# n\n",
    },
    "ir-measures": {"bm25.txt": "q1\tnDCG@10\t0.2500\nq2\tnDCG@10\t0.7500\nall\tnDCG@10\t0.5000\n"},
    "livebench": {
        "zebra/model_judgment/ground_truth_judgment.jsonl": _lines(
            {"question_id": "q", "task": "zebra", "model": "m", "score": 1, "tstamp": 1.5, "category": "reasoning"}
        )
    },
    "metr": {"runs.jsonl": _lines(_METR)},
    "openai-evals": {
        "run.jsonl": _lines(
            {"spec": {"completion_fns": ["gpt"], "eval_name": "qa.dev.v0", "run_id": "1", "created_at": "2024"}},
            {"run_id": "1", "event_id": 0, "sample_id": "qa.dev.0", "type": "match", "data": {"correct": True}},
            {"final_report": {"accuracy": 1.0}, "run_id": "1"},
        )
    },
    "reward-bench": {
        "eval-set/org/m.json": json.dumps({"model": "org/m", "model_type": "RM", "chat_template": "t", "hep": 0.5}),
        "org/n.json": json.dumps({"accuracy": 0.5, "num_prompts": 2, "model": "org/n", "extra_results": {"hep": 0.5}}),
    },
    "simple-evals": {
        "mmlu_gpt.json": json.dumps({"score:std": 0.5, "score": 0.5, "other": 0.25, "other:std": 0.1}),
        "gpqa_gpt_allresults.json": json.dumps({"score": 0.5, "metrics": {"chars": 3}, "htmls": [], "convos": []}),
    },
    "swe-bench": {
        "m.run.json": json.dumps(
            {"total_instances": 4, "resolved_ids": _INSTANCES[:1], "unresolved_ids": _INSTANCES[1:], "error_ids": []}
        ),
        "logs/run_evaluation/run/m/django__django-11/report.json": json.dumps(
            {"django__django-11": {"patch_exists": True, "resolved": True, "tests_status": {}}}
        ),
        "verified/20240101_a/results/results.json": json.dumps({"no_logs": [], "resolved": _INSTANCES[:2]}),
        "bash-only/20240101_a/per_instance_details.json": json.dumps({_INSTANCES[0]: {"cost": 1, "resolved": True}}),
    },
    "tabarena": {"results.csv": "method,dataset,fold,metric_error,time_train_s\na,adult,0,0.1,1.5\n"},
    "tau2-bench": {"m_retail.json": json.dumps(_TAU2)},
    "terminal-bench": {
        "run/results.json": json.dumps({"results": [_TRIAL], "n_resolved": 1, "n_unresolved": 0, "accuracy": 1.0}),
        "run/hello/hello.1-of-1.run/results.json": json.dumps(_TRIAL),
    },
    "trec-eval": {
        "bm25.eval": "map                   \tq1\t0.2500\nP_5                   \tq1\t0.4000\n"
        "runid                 \tall\tbm25\nmap                   \tall\t0.2500\n"
    },
}
