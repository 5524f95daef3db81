"""The Ray engine: stretches are put into Ray's store of objects, and tasks that count them come to where they are.

Ray keeps what is put until it is answered, and counts again what is lost with a worker. Tallies are merged by the
caller.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from time import monotonic, sleep
from typing import Any

from podium.base.errors import EngineError, MissingExtraError
from podium.base.parallel import cores
from podium.base.words import how_many
from podium.tally.engine.message import Sent, fold, messages
from podium.tally.engine.stretch import Counting, Stretch, Tallies
from podium.tally.engine.version import SAME, named_version, version_of

#: Seconds to wait for workers.
_PATIENCE = 30


@contextmanager
def connected(scheduler: str | None, workers: int | None) -> Iterator["Ray"]:
    """Connect with a running cluster; or start one on this machine, and end it.

    Parameters
    ----------
    scheduler
        Its address, such as "10.0.0.1:6379" on a machine of the cluster; None to start worker processes here.
    workers
        How many to start, one per core by default; or how many processors to wait for.

    Raises
    ------
    MissingExtraError
        Ray is not installed.
    EngineError
        No cluster answers, it is too small, or it differs from this machine; or Ray is in use already.
    """
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns of what it will do one day
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    try:
        import ray  # noqa: PLC0415  # only where there is a cluster
    except ImportError as error:
        raise MissingExtraError("ray", "ray", "the Ray engine") from error
    if ray.is_initialized():
        raise EngineError("Ray is in use by this process; end that with ray.shutdown(), and podium connects by itself")
    here = {"num_cpus": workers or cores(), "include_dashboard": False} if scheduler is None else {"address": scheduler}
    try:
        ray.init(**here, log_to_driver=False, logging_level="CRITICAL")
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        where = "on this machine" if scheduler is None else f"at {scheduler!r}"
        raise EngineError(
            f"no Ray cluster answers {where}: {error}; start one with `ray start --head`, or correct the address"
        ) from error
    try:
        engine = Ray(ray)
        engine.wait_for(workers or 1)
        if scheduler is not None:
            engine.check_versions()
        yield engine
    finally:
        ray.shutdown()


class Ray:
    """Folds stretches by tasks of Ray.

    Parameters
    ----------
    ray
        The library, connected.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._fold = ray.remote(fold)

    def fold(
        self, counting: Counting, stretches: Iterable[Stretch], tell: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Stretch, Tallies]]:
        """Yield every stretch with its tallies, in the order in which workers are done."""
        waiting, flying = messages(stretches, counting.replicates), dict[Any, Sent]()
        work = self._ray.put(counting)
        try:
            while True:
                while len(flying) < 2 * self._processors() and (together := next(waiting, None)) is not None:
                    flying[self._fold.remote(work, self._ray.put(together))] = together
                if not flying:
                    return
                (landed, *_), _ = self._ray.wait(list(flying))
                together, tallies = flying.pop(landed), self._answer(landed)
                if tell is not None:
                    tell(together.n_scores)
                yield from zip(together.stretches, tallies, strict=True)
        finally:  # on an interrupt, do not count what nobody waits for
            for future in flying:
                self._ray.cancel(future, force=True)

    def _answer(self, future: Any) -> list[Tallies]:
        """Return the tallies of a message; a mistake on a worker is the same mistake here."""
        errors = self._ray.exceptions
        try:
            tallies: list[Tallies] = self._ray.get(future)
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            raise EngineError(
                f"the Ray cluster has lost scores again and again: {error}; workers may need more memory"
            ) from error
        return tallies

    def _processors(self) -> int:
        return max(int(self._ray.cluster_resources().get("CPU", 0)), 1)

    def wait_for(self, workers: int) -> None:
        """Wait until the cluster has so many processors.

        Raises
        ------
        EngineError
            It has not, after half a minute.
        """
        began = monotonic()
        while (there := int(self._ray.cluster_resources().get("CPU", 0))) < workers:
            if monotonic() > began + _PATIENCE:
                raise EngineError(
                    f"the Ray cluster should have {how_many(workers, 'processor')}, and after {_PATIENCE} s has "
                    f"{there}; add machines with `ray start --address=…`"
                )
            sleep(0.1)

    def check_versions(self) -> None:
        """Refuse machines that would count otherwise, or cannot.

        Raises
        ------
        EngineError
            They have other versions of Python, podium, NumPy or Numba.
        """
        resolve = self._ray.remote(resolve_name)
        pinned = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        for node in [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]:
            for name, where in SAME.items():
                task = resolve.options(scheduling_strategy=pinned(node["NodeID"], soft=False), max_retries=0)
                try:
                    there = str(self._ray.get(task.remote(where)))
                except self._ray.exceptions.RayTaskError:
                    there = ""
                if there != version_of(where):
                    raise EngineError(
                        f"machine {node['NodeManagerHostname']} has {named_version(name, there)}, and this machine has "
                        f"{named_version(name, version_of(where))}; install the same on all machines of the cluster"
                    )
