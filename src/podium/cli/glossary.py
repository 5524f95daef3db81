"""What the words of podium mean, as `podium help WORD` and the command reference say it."""

#: By word, in the order in which a reader meets them.
WORDS = {
    "system": "What is ranked: a model, a run, a configuration.",
    "task": "One data set with one metric. Higher or lower scores are better, by the metric.",
    "instance": "One item of the test set of a task, such as a question. Some tables have one score per task instead.",
    "repeat": "One of several runs of an instance, with another seed. A statistic over repeats, such as their mean, is "
    "the score.",
    "cluster": "Instances that go together, such as all questions on one passage. They are drawn as one.",
    "family": "Tasks of one data set, such as its splits, languages and metrics. They count as one if tasks are drawn.",
    "unit": "What is drawn as one: an instance, a cluster, a task or its family, a repeat. See --units.",
    "replicate": "The table once more, with its units drawn anew (bootstrap). Over many of them results vary as they "
    "would with other data of this kind.",
    "interval": "Where the true value lies, with the confidence that is said (95% if nothing is). 95% ranks 1–3: with "
    "very many such instances, or tasks, the system would have rank 1, 2 or 3.",
    "tier": "A group of systems. Each is better than every system of the tiers below, with the confidence of the "
    "intervals. Inside a tier, some pairs may differ, too.",
    "borda": "The usual method. Each instance, or task, orders the systems. A score is the share of other systems that "
    "a system beats on average; a tie counts half. So metrics need no common scale.",
    "ballot": "An instance, or a task, read as a vote: it orders the systems that have a score.",
    "battle": "An instance on which only two of many systems have a score, as in an arena.",
    "condorcet": "A Condorcet winner beats every other system in over half of their comparisons. There may be none.",
    "baseline": "The finished run that gate and watch hold a new run against. It is named first.",
    "verdict": "What gate says. PASS: the new run is better, or not worse by more than the margin. FAIL: it is worse. "
    "CANNOT TELL: too few instances for this margin.",
    "control": "The system that others are compared with. The other one is the treatment: a positive effect means that "
    "it is better.",
    "margin": "How much worse still counts as good enough.",
    "covariate": "What was measured beside scores. Columns such as cost, seconds, input_tokens and output_tokens are "
    "found by themselves, see --covariate-column; logs of Inspect have these names of each instance. A budget is a "
    "multiple of the baseline: gate --budget cost=1.1x.",
    "note": "A sentence about what to know before trusting a result. What may change a conclusion comes first.",
}

#: Other words for them.
_ALSO = {"model": "system", "item": "instance", "treatment": "control", "metric": "task", "bootstrap": "replicate"}
_ALSO |= dict.fromkeys(("pass", "fail", "cannot tell"), "verdict")
_ALSO |= dict.fromkeys(("cost", "second", "token", "budget"), "covariate")


def meaning(word: str) -> str | None:
    """Return what a word means, in any case, one or many; None if it is not among them.

    >>> meaning("Systems"), meaning("nonsense")
    ('What is ranked: a model, a run, a configuration.', None)
    """
    found = (_ALSO.get(one, one) for one in (word.lower(), word.lower().removesuffix("s")))
    return next((WORDS[one] for one in found if one in WORDS), None)
