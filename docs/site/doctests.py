"""Docstrings for the site: examples in the middle of a text become blocks of code, as those under "Examples" are."""

import re
from typing import Any

from griffe import Extension

#: An example with an empty line above it, up to the next one.
_EXAMPLE = re.compile(r"(?:\A|(?<=\n\n))>>> .*(?:\n.+)*")


class Doctests(Extension):  # type: ignore[misc]  # griffe is not installed where types are checked
    """What griffe calls when it has read the source of an object."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Fence the examples of its docstring."""
        if obj.docstring:
            text, heading, examples = obj.docstring.value.partition("\nExamples\n---")
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", text) + heading + examples
