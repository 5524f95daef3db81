"""The re-run of Sertkan et al.: what is printed comes out, and the summary beside metafor's."""

import json
from importlib import import_module as script
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from podium.comparison.pooling import pool

pytestmark = pytest.mark.whole

CLONE = Path(__file__).parents[2] / "clones" / "ranger"


def verdicts(section: Any) -> dict[str, str]:
    return {finding.what: finding.verdict for finding in section.findings}


def test_the_seven_printed_effects_give_the_printed_summary() -> None:
    finding = script("ranger_fig3")._summary()
    assert finding.verdict == "reproduced"


def test_the_printed_effects_pooled_as_by_metafor() -> None:
    """R 4.2.2, metafor 3.8-1: rma(y, v, method="REML", test="knha")."""
    found = script("ranger_fig3").pooled("reml", "knapp-hartung")
    shown = (found.estimate, found.std_error, found.p, found.low, found.high, found.tau2)
    assert_allclose(shown, (0.0520, 0.0236, 0.0697, -0.0057, 0.1097, 0.0031), atol=6e-5)


def test_significance_rests_on_the_interval() -> None:
    fig3 = script("ranger_fig3")
    finding = fig3._significant()
    assert finding.verdict == "reproduced only with a slip"
    assert finding.why.startswith("a normal interval")
    assert fig3.pooled("dl", "normal").low > 0 > fig3.pooled("reml", "knapp-hartung").low


def test_coverage_is_that_of_intervals_drawn_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    fig3 = script("ranger_fig3")
    monkeypatch.setattr(fig3, "DRAWS", 300)
    _, variances = fig3._effects()
    drawn = np.random.default_rng(2023).normal(0, np.sqrt(variances + 0.003123534471165358), (300, 7))
    held = [
        (one := pool(effects, variances, estimator="dl", interval="normal")).low <= 0 <= one.high for effects in drawn
    ]
    assert fig3._coverage("dl", "normal") == np.mean(held)


def test_glue_comes_out_as_printed_and_as_by_the_released_code(shared: Path) -> None:
    golden = json.loads((shared / "data/golden/effects.json").read_text())["glue"]
    fig2 = script("ranger_fig2")
    found = verdicts(fig2.section())
    assert [what for what, verdict in found.items() if verdict == "not reproduced"] == [
        "DistilBERT decreases effectiveness consistently"
    ]
    assert [what for what, verdict in found.items() if "slip" in verdict] == [
        "summary, in percent",
        "effects on RTE and WNLI, in percent",
        "weights of RTE and WNLI",
    ]
    for kind in ("MD", "SMD"):
        for task in fig2._compared(kind.lower()).tasks:
            theirs = golden[kind]["tasks"][task.task]
            assert_allclose((task.effect, task.weight), (theirs["effect"], theirs["weight"]), rtol=1e-9)


@pytest.mark.skipif(not CLONE.exists(), reason="the repository released with the paper is not cloned")
def test_every_collection_that_is_at_hand_comes_out_to_six_digits() -> None:
    fig3 = script("ranger_fig3")
    names = {task.task for task in fig3._compared("nDCG@10").tasks}
    assert len(names) >= 6
    assert {name: fig3._row(name).verdict for name in names} == dict.fromkeys(names, "reproduced")
