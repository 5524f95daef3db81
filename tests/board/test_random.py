"""Boards to which anything happens, beside a dictionary: additions by every rule, and compaction."""

import shutil
import tempfile
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import podium
from podium.errors import BoardError
from podium.store.log import opened
from podium.store.place import Place
from support.boarded import Cell
from support.modelled import LOWER, Kind, Model, held, ranked

TASKS, SYSTEMS = ("rte", LOWER, "ümläut"), ("A", "B", "C c", "D")

#: Instances of a system on a task that make a rectangle.
_WIDTH = 256

_FEW = st.dictionaries(
    st.tuples(st.sampled_from(TASKS), st.sampled_from(SYSTEMS), st.integers(0, 3)),
    st.sampled_from([0.0, 0.5, 1.0, float("nan")]),
    min_size=1,
    max_size=12,
)


class _Block(dict[Cell, float]):
    """Cells that are shown in few words."""

    def __repr__(self) -> str:
        """The tasks and systems."""
        return f"block of {sorted({cell[:2] for cell in self})}"


@st.composite
def _blocks(draw: st.DrawFn) -> dict[Cell, float]:
    """Scores of some systems on all instances of some tasks."""
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    tasks, systems = (draw(st.sets(st.sampled_from(names), min_size=1, max_size=2)) for names in (TASKS, SYSTEMS))
    return _Block(
        {
            (task, system, number): int(rng.integers(3)) / 2
            for task in sorted(tasks)
            for system in sorted(systems)
            for number in range(_WIDTH)
        }
    )


ADDITIONS = st.one_of(_FEW, _blocks())


class Board(RuleBasedStateMachine):
    """A board and a dictionary get the same; every version is what the dictionary was then."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp())
        self.folder = self.home / "board"
        self.versions: dict[int, Model] = {}
        self.additions = 0
        self.run: dict[Cell, float] = {}
        self.source = ""

    def teardown(self) -> None:
        if self.versions:
            assert podium.boards.check(self.folder).sound
        shutil.rmtree(self.home)

    @initialize(text=st.booleans(), weighted=st.booleans(), more=ADDITIONS)
    def begin(self, text: bool, weighted: bool, more: dict[Cell, float]) -> None:
        self.known = Model(Kind(text, weighted))
        self.add_what_fits(more)

    def _added(self, more: dict[Cell, float], **how: Any) -> Any:
        self.additions += "source" not in how
        how.setdefault("source", f"addition {self.additions}")
        made = podium.add(self.folder, self.known.kind.table(more), **how)
        assert made.written == (made.version not in self.versions)
        self.versions[made.version] = self.known.copy()
        assert not podium.add(self.folder, self.known.kind.table(more), **how).written, "twice is once"
        return made

    @rule(more=ADDITIONS)
    def add_what_fits(self, more: dict[Cell, float]) -> None:
        fits = {
            cell: self.known.scores.get(cell, [score])[0] if not isnan(score) else score for cell, score in more.items()
        }
        new = {cell: score for cell, score in self.known.name(fits).items() if cell not in self.known.scores}
        self.known.scores |= {cell: [score] for cell, score in new.items()}
        assert self._added(fits).new == len(new)

    @rule(more=ADDITIONS)
    def keep(self, more: dict[Cell, float]) -> None:
        given, kept = self.known.name(more), 0
        for cell, score in given.items():
            kept += score not in self.known.scores.setdefault(cell, [score])
        assert self._added(more, on_conflict="keep").kept == kept

    @rule(more=ADDITIONS)
    def replace(self, more: dict[Cell, float]) -> None:
        given, replaced = self.known.name(more), 0
        for cell, score in given.items():
            replaced += self.known.scores.get(cell, [score]) != [score]
            self.known.scores[cell] = [score]
        self.run = {}
        assert self._added(more, on_conflict="replace").replaced == replaced

    @rule(more=_FEW)
    def repeat(self, more: dict[Cell, float]) -> None:
        self.additions += 1
        given, repeated = self.known.name(more), 0
        for cell, score in given.items():
            repeated += cell in self.known.scores
            self.known.scores.setdefault(cell, []).append(score)
        self.run, self.source = given, f"run {self.additions}"
        assert self._added(more, on_conflict="repeat", source=self.source).repeated == repeated

    @precondition(lambda self: self.run)
    @rule(more=_FEW)
    def grow(self, more: dict[Cell, float]) -> None:
        """Add the last run again, with further scores."""
        further = {cell: score for cell, score in self.known.name(more).items() if cell not in self.run}
        for cell, score in further.items():
            self.known.scores.setdefault(cell, []).append(score)
        self.run |= further
        made = self._added(more | self.run, on_conflict="repeat", source=self.source)
        assert made.new + made.repeated == len(further)

    @rule(more=ADDITIONS)
    def contradict(self, more: dict[Cell, float]) -> None:
        known = self.known.scores
        if any(cell in known and not isnan(score) and score not in known[cell] for cell, score in more.items()):
            with pytest.raises(BoardError, match="nothing was added"):
                podium.add(self.folder, self.known.kind.table(more))

    @rule(data=st.data())
    def look_back(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.versions)))
        assert held(podium.read(self.folder, as_of=number)) == pytest.approx(self.versions[number].means)

    @rule(data=st.data(), forget=st.booleans())
    def compact(self, data: st.DataObject, forget: bool) -> None:
        least = data.draw(st.sampled_from(sorted(self.versions))) if forget else None
        made = podium.boards.compact(self.folder, forget=least)
        self.versions[made.version] = self.known.copy()
        if least:
            self.versions = {number: one for number, one in self.versions.items() if number >= least}
        assert len(opened(Place.of(self.folder)).files) == 1

    @invariant()
    def is_what_the_dictionary_is(self) -> None:
        if not self.versions:
            return
        scores = podium.read(self.folder)
        assert held(scores) == pytest.approx(self.known.means)
        assert scores.systems == tuple(sorted(self.known.systems))
        assert sum(task.n_instances for task in scores.tasks) == len(self.known.instances)
        self.known.write(self.home / "same.csv")
        assert ranked(self.folder) == ranked(self.home / "same.csv", **self.known.options)


TestBoard = Board.TestCase
TestBoard.settings = settings(max_examples=max(settings().max_examples // 4, 2), stateful_step_count=8, deadline=None)
