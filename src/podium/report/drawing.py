"""Pictures inside a page: SVG as part of HTML."""

import re
from typing import TYPE_CHECKING

from podium.errors import OutputError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["inline"]

#: What a picture needs neither to be seen nor to be read, or must not do.
_NOT_DRAWN = frozenset({"metadata", "script", "foreignObject", "title", "desc"})

#: What points to another part by its name.
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline(svg: str, title: str, prefix: str) -> str:
    """Turn the text of an SVG file into an element of HTML with a title, whose names begin with a prefix.

    Comments, metadata, scripts and names that nothing refers to are left out, and so is what is outside of the picture.

    Parameters
    ----------
    svg
        Text of the file.
    title
        Said in place of the picture to those who do not see it.
    prefix
        So that no two pictures of a page have parts of one name.

    Raises
    ------
    OutputError
        The text is no SVG.

    Examples
    --------
    >>> inline('<svg xmlns="http://www.w3.org/2000/svg"><g id="a"/><use href="#a"/></svg>', "A", "1-")
    '<svg role="img" aria-labelledby="1-title"><title id="1-title">A</title><g id="1-a" /><use href="#1-a" /></svg>'
    """
    from xml.etree.ElementTree import Element, ParseError, fromstring, tostring  # noqa: PLC0415  # rarely wanted

    try:
        root = fromstring(svg)  # noqa: S314  # drawn by Matplotlib a moment before
    except ParseError as error:
        raise OutputError(f"the picture {title!r} is no SVG ({error}); write it with podium.plots.to_svg") from error
    if _local(root.tag) != "svg":
        raise OutputError(f"the picture {title!r} is no SVG but {root.tag!r}; write it with podium.plots.to_svg")
    _clean(root, prefix, _used(root))
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}title"}
    named = Element("title", {"id": f"{prefix}title"})
    named.text = title
    root.insert(0, named)
    return tostring(root, encoding="unicode").strip()


def _used(root: "Element") -> frozenset[str]:
    """Names of parts that others refer to."""
    values = [(_local(name), value) for element in root.iter() for name, value in element.attrib.items()]
    links = {value[1:] for name, value in values if name == "href" and value.startswith("#")}
    return frozenset(links.union(*(_REFERENCE.findall(value) for _, value in values)))


def _clean(element: "Element", prefix: str, used: frozenset[str]) -> None:
    """Take names of XML away, which HTML does not know; keep names of parts that are used, after a prefix."""
    element.tag = _local(element.tag)
    kept: dict[str, str] = {}
    for name, value in ((_local(name), value) for name, value in element.attrib.items()):
        if name == "id":
            kept |= {name: prefix + value} if value in used else {}
        elif name == "href":
            kept |= {name: f"#{prefix}{value[1:]}"} if value.startswith("#") else {}
        elif not name.startswith("on"):
            kept[name] = _REFERENCE.sub(rf"url(#{prefix}\1)", value)
    element.attrib.clear()
    element.attrib.update(kept)
    for child in list(element):
        if _local(child.tag) in _NOT_DRAWN:
            element.remove(child)
        else:
            _clean(child, prefix, used)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
