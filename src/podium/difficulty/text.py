"""Texts with their labels: what difficulty is measured on; frozen."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.frozen import Frozen
from podium.base.words import counted


@dataclass(frozen=True, slots=True, eq=False)
class Texts(Frozen):
    """K instances of a test set or a training set: texts, embeddings, or both; and what is right.

    Attributes
    ----------
    instances
        Shape `(K,)`: distinct labels of the instances, whole numbers or text.
    texts
        K texts, or None where there are only embeddings.
    gold
        K right answers, or None where they are not known.
    embeddings
        Shape `(K, D)`: finite numbers; or None where texts are yet to be embedded.
    name
        Its name in errors, such as that of its file.
    notes
        What reading left out, in words.

    Raises
    ------
    InputError
        There is no instance, neither texts nor embeddings, or lengths differ.

    Examples
    --------
    >>> import numpy as np
    >>> Texts(np.arange(2), ("not bad", "bad"), gold=("1", "0"), name="reviews")
    Texts(2 instances of reviews)
    """

    instances: NDArray[Any]
    texts: tuple[str, ...] | None = None
    gold: tuple[str, ...] | None = None
    embeddings: NDArray[Any] | None = None
    name: str = "texts"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Frozen.__post_init__(self)
        if not self.instances.size:
            raise InputError(f"{self.name}: there are no instances")
        if self.texts is None and self.embeddings is None:
            raise InputError(f"{self.name}: there are neither texts nor embeddings; give one of them")
        sizes = {"text": self.texts, "right answer": self.gold, "row of embeddings": self.embeddings}
        for what, given in sizes.items():
            if given is not None and len(given) != self.instances.size:
                raise InputError(
                    f"{self.name}: {counted(len(given), what)} for {counted(self.instances.size, 'instance')}; "
                    "their numbers must be equal"
                )

    def __len__(self) -> int:
        return int(self.instances.size)

    def __repr__(self) -> str:
        return f"Texts({counted(len(self), 'instance')} of {self.name})"


def checked_texts(given: Any, what: str) -> Texts:
    """Refuse what is no texts, and say how to make them.

    Raises
    ------
    InputError
        It is something else.
    """
    if not isinstance(given, Texts):
        raise InputError(f"{what}: expected Texts, not {type(given).__name__}; make them with podium.read_texts(path)")
    return given


def checked_answers(texts: Texts) -> NDArray[Any]:
    """Return the right answers of texts, shape `(K,)`.

    Raises
    ------
    InputError
        There are none.
    """
    if texts.gold is None:
        raise InputError(
            f"{texts.name}: bias needs right answers; name the column that holds them with gold= (--gold-column)"
        )
    return np.array(texts.gold)
