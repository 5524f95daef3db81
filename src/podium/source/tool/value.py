"""JSON as tools write it: values may be of any type, and one of another type than is wanted is as good as missing."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

from podium.base.errors import InputError

_DECIMAL = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*", re.ASCII | re.IGNORECASE)


def mapping(value: Any) -> Mapping[str, Any]:
    """The object, or an empty one.

    >>> mapping({"acc": 1}), mapping(None)
    ({'acc': 1}, {})
    """
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """The list, or an empty one.

    >>> listed([1]), listed("a")
    ([1], [])
    """
    return value if isinstance(value, list) else []


def number(value: Any) -> float | None:
    """The number or truth as a number; None if it is something else.

    >>> number(1), number(True), number("1")
    (1.0, 1.0, None)
    """
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def plain_number(value: Any) -> float | None:
    """The same, or the number that a text writes in plain decimals.

    >>> plain_number("0.5"), plain_number(True), plain_number("1_0"), plain_number("nan")
    (0.5, 1.0, None, None)
    """
    return float(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else number(value)


def text(value: Any) -> str:
    """The text, or that of a number; else an empty one.

    >>> text("a"), text(1), text(None)
    ('a', '1', '')
    """
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def parsed(content: bytes, where: str) -> Any:
    """Parse JSON, with NaN and Infinity, which Python's own tools write.

    Raises
    ------
    InputError
        It is not JSON.

    Examples
    --------
    >>> parsed(b'{"acc": NaN}', "a.json")
    {'acc': nan}
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise InputError(f"{where} is not JSON, or cut off: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """The first line of what an error says."""
    return str(error).strip().partition("\n")[0]
