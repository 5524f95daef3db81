"""Columns found by their usual names, or by the name that the caller gave."""

from collections.abc import Iterable, Mapping, Sequence

from podium.base.errors import InputError, LabelError
from podium.base.words import few

#: Usual names of columns by role; the first name that occurs is taken.
USUAL = {
    "system": ("system", "model", "model_name", "method", "run", "team", "submission", "name"),
    "task": ("task", "dataset", "benchmark", "subset"),
    "instance": (
        *("instance", "instance_id", "id", "item", "example", "example_id", "sample", "sample_id"),
        *("qid", "query_id", "question_id", "doc_id"),
    ),
    "metric": ("metric", "metric_name", "measure"),
    "score": ("score", "value"),
    "prediction": ("prediction", "pred", "predicted", "predicted_label", "answer", "output"),
    "gold": ("gold", "label", "gold_label", "answer", "target", "class"),
    "text": ("text", "sentence", "question", "input", "prompt", "review", "content", "document", "comment", "tweet"),
}


def usual(*roles: str) -> dict[str, tuple[str, ...]]:
    """Usual names of some roles, in this order.

    >>> usual("score")
    {'score': ('score', 'value')}
    """
    return {role: USUAL[role] for role in roles}


def find_roles(
    names: Sequence[str], words: Mapping[str, Iterable[str]], given: Mapping[str, str | None]
) -> dict[str, str]:
    """Column of each role: the given one, else the first usual name that occurs and has no other role.

    Parameters
    ----------
    names
        Columns of the table.
    words
        Usual names by role; earlier roles choose first.
    given
        Column by role, or None if the caller named no column.

    Raises
    ------
    LabelError
        A given column does not exist.

    Examples
    --------
    >>> find_roles(["Model", "f1"], usual("system", "score"), {"score": "f1"})
    {'score': 'f1', 'system': 'Model'}
    """
    roles = {role: existing(name, names) for role, name in given.items() if name is not None}
    for role, synonyms in words.items():
        if role not in roles and (found := named(synonyms, names, roles.values())) is not None:
            roles[role] = found
    return roles


def named(synonyms: Iterable[str], names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """Find the column with the first usual name that occurs, among columns that are not taken.

    >>> named(("score", "value"), ["model", "Value"])
    'Value'
    """
    aside = set(taken)
    known = {folded(name): name for name in reversed(names) if name not in aside}
    return next((known[word] for word in synonyms if word in known), None)


def folded(name: str) -> str:
    """A name without capitals, dots, spaces and hyphens.

    >>> folded(" Sample-ID"), folded("std. error")
    ('sample_id', 'std_error')
    """
    return name.strip().lower().replace(".", "").replace(" ", "_").replace("-", "_")


def existing(name: str, names: Sequence[str]) -> str:
    """Return a column that the caller named.

    Raises
    ------
    LabelError
        There is no such column.
    """
    if name not in names:
        error = LabelError.unknown("column", name, names)
        raise LabelError(f"{error} The columns are {listed(names)}") if "did you mean" in str(error) else error
    return name


def refuse_shared(where: str, roles: Mapping[str, str]) -> None:
    """Refuse a column that has two roles.

    Raises
    ------
    InputError
        A column has two roles.
    """
    first: dict[str, str] = {}
    for role, name in roles.items():
        if first.setdefault(name, role) != role:
            raise InputError(f"{where}: column {name!r} has two roles, {first[name]} and {role}; give it one role")


def lacks(where: str, what: str, names: Sequence[str]) -> InputError:
    """Error: the table lacks a column; the message lists the columns it has."""
    return InputError(f"{where}: {what}. Its columns are {listed(names)}")


def either(words: Sequence[str]) -> str:
    """Names in quotes, as alternatives.

    >>> either(["score", "value"])
    "'score' or 'value'"
    """
    return " or ".join(map(repr, words))


def listed(names: Sequence[str]) -> str:
    """Names in quotes, at most twenty.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    return few([repr(name) for name in names], 20)
