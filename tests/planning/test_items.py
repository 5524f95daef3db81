"""Comparisons that are planned before there are data."""

import json
import math

import click
import numpy as np
import pytest
from scipy.stats import binom, norm

import podium
from podium.cli.app import app
from podium.comparison.suite import suite_effect
from podium.errors import MethodError


def drawn(plan: podium.ItemPlan, items: int, rng: np.random.Generator) -> podium.Scores:
    """Draw right and wrong answers of two systems that differ and correlate as planned."""
    better = (plan.discordant + plan.delta) / 2
    number = rng.random(items)
    new = number < plan.rate + plan.delta
    old = (new & (number >= better)) | (~new & (number >= 1 - (plan.discordant - better)))
    return podium.from_arrays({"t": np.array([old, new], dtype=float)}, systems=["old", "new"])


@pytest.mark.parametrize(("rate", "delta", "correlation"), [(0.8, 0.1, 0.5), (0.6, -0.1, 0.0), (0.95, 0.04, 0.3)])
def test_so_many_items_find_the_difference_so_often(rate: float, delta: float, correlation: float) -> None:
    plan = podium.plan_items(150, delta, rate=rate, correlation=correlation)
    rng = np.random.default_rng(0)
    tables = [drawn(plan, plan.needed, rng) for _ in range(400)]
    means = np.mean([table.tasks[0].values.mean(axis=1) for table in tables], axis=0)
    assert means == pytest.approx([rate, rate + delta], abs=0.01)
    found = [suite_effect(table, "old", "new") for table in tables]
    power = np.mean([one.p <= 0.05 and one.effect * delta > 0 for one in found])
    assert 0.74 < power < 0.86


def test_the_chance_is_that_of_every_table() -> None:
    plan = podium.plan_items(12, 0.4, rate=0.5, correlation=0.2)
    better, worse = (plan.discordant + 0.4) / 2, (plan.discordant - 0.4) / 2
    chance = 0.0
    for up in range(13):
        for down in range(13 - up):
            p = min(2 * binom.cdf(min(up, down), up + down, 0.5), 1) if up != down else 1.0
            if p <= 0.05 and up > down:
                ways = math.comb(12, up) * math.comb(12 - up, down)
                chance += ways * better**up * worse**down * (1 - better - worse) ** (12 - up - down)
    assert plan.chance == pytest.approx(chance)


def test_the_numbers_agree_with_each_other_and_with_the_normal_formula() -> None:
    plan = podium.plan_items(5000, 0.02)
    assert podium.plan_items(plan.needed, 0.02).chance == pytest.approx(0.8, abs=0.002)
    assert podium.plan_items(5000, plan.smallest).chance == pytest.approx(0.8, abs=0.002)
    variance = 2 * 0.8 * 0.2 * 0.5
    assert plan.discordant == pytest.approx(variance, rel=0.05)
    near = (norm.isf(0.025) + norm.isf(0.2)) ** 2 * plan.discordant / 0.02**2
    assert plan.needed == pytest.approx(near, rel=0.01)
    assert podium.plan_items(5000, -0.02).smallest < 0
    assert podium.plan_items(5000, 0.02, power=0.9).needed > 1.3 * plan.needed


def test_correlations_that_cannot_be_are_made_as_large_as_they_can() -> None:
    plan = podium.plan_items(500, 0.3, rate=0.6, correlation=0.99)
    assert plan.correlation < 0.6
    assert plan.discordant == pytest.approx(0.3)
    assert "at most" in plan.notes[-1]
    assert math.isnan(podium.plan_items(5, 0.1, rate=0.95 - 0.1).smallest)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"items": 0, "delta": 0.1}, "items is 0"),
        ({"items": 10, "delta": 0}, "must not be 0"),
        ({"items": 10, "delta": 0.3}, "rate \\+ delta"),
        ({"items": 10, "delta": 0.1, "rate": 1.5}, "rate is 1.5"),
        ({"items": 10, "delta": 0.1, "correlation": 2}, "correlation is 2"),
        ({"items": 10, "delta": 0.1, "power": 0.3}, "power is 0.3"),
        ({"items": 10, "delta": 1e-12}, "no number of instances"),
    ],
)
def test_what_makes_no_sense_is_refused(told: dict[str, float], said: str) -> None:
    with pytest.raises(MethodError, match=said):
        podium.plan_items(**told)  # type: ignore[arg-type]


def test_the_command_needs_no_source(capsys: pytest.CaptureFixture[str]) -> None:
    def command(*arguments: str) -> None:
        app.main(["plan", *arguments], prog_name="podium", standalone_mode=False)

    command("--items", "500", "--delta", "0.02", "-f", "json")
    assert json.loads(capsys.readouterr().out)["rows"] == podium.plan_items(500, 0.02).rows()
    for typed, said in (("x.csv --items 5 --delta 0.1", "and no source"), ("--items 5", "give both")):
        with pytest.raises(MethodError, match=said):
            command(*typed.split())
    with pytest.raises(click.UsageError, match="Missing argument 'SOURCE'"):
        command()
