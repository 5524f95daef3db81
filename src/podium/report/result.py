"""The base of every result: what a result says of itself, and all ways to show it, written once."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, overload

from numpy.typing import NDArray

from podium.base.arrays import Backend, Frozen, as_array, as_frame
from podium.base.check import checked_path, texts
from podium.base.errors import LabelError, OutputError
from podium.base.words import weightiest_first

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from podium.report.picture import Picture
    from podium.report.view import View


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of each kind of result."""
    import json  # noqa: PLC0415  # only for programs that write programs
    from importlib.resources import files  # noqa: PLC0415  # the same

    found: dict[str, dict[str, Any]] = json.loads((files("podium") / "data" / "schemas.json").read_text("utf-8"))
    return found


class Result(Frozen, ABC):
    """An answer as a table: rows that one can count, go through, name by column, save and draw; and what is said of it.

    `len(result)` counts the rows, `for row in result` goes through them as dictionaries, `result["system"]` is a column
    as an array, and `result[0]` a row. A result is immutable.

    Attributes
    ----------
    schema
        What it is, as files say it under "kind".
    notes
        What to know before trusting it, in words; what changes no conclusion (`podium.base.words.Aside`) comes last.
    backend
        Library of the frames that `to_frame` returns by default.
    """

    __slots__ = ()

    schema: ClassVar[str]
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    #: Key of `to_dict` that holds the rows, and the version of its layout.
    _row_key: ClassVar[str] = "rows"
    _schema_version: ClassVar[int] = 1

    #: What formats that hold rows only leave out, as a sentence.
    _beyond_rows: ClassVar[str] = ""

    #: Schemas of the results that it may be made of.
    _part_schemas: ClassVar[tuple[str, ...]] = ()

    #: Pictures that one may expect of it and where they are drawn, by name.
    _other_figures: ClassVar[Mapping[str, str]] = {}

    #: What to do where there are none.
    _to_draw: ClassVar[str] = ""

    def __post_init__(self) -> None:
        Frozen.__post_init__(self)
        object.__setattr__(self, "notes", weightiest_first(self.notes))

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the main table, one plain dictionary per row; None where a number does not exist."""

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """Return everything that files hold between "kind" and "notes", the rows among it."""

    def _columns(self) -> dict[str, list[Any]]:
        """Return the rows as columns, by name."""
        rows = self.rows()
        return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}

    def _parts(self) -> tuple["Result", ...]:
        """Return the results that have rows of their own: itself, unless it is made of others."""
        return (self,)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return names of the columns.

        >>> import podium
        >>> podium.pairwise(podium.datasets.toy_table1()).columns[:3]
        ('system', 'opponent', 'probability')
        """
        return tuple(self._columns())

    def __len__(self) -> int:
        return len(self.rows())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, key: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, key: Any) -> Any:
        """Return a column by its name, as an array with NaN where a number does not exist; or rows by their number.

        Raises
        ------
        LabelError
            There is no such column, or several are named.
        IndexError
            There is no such row.
        """
        if isinstance(key, list | tuple):
            raise LabelError(
                f"result[…] is one column, or rows by number; several columns: .to_pandas()[{list(key)!r}]"
            )
        if not isinstance(key, str):
            return self.rows()[key]
        columns = self._columns()
        if key not in columns:
            raise LabelError.unknown("column", key, columns)
        return as_array(columns[key])

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Lead from what frames have to a frame."""
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            hint = "" if name.startswith("_") else "; .to_pandas() makes a frame of it, and .save('rows.csv') a file"
            raise AttributeError(message + hint, name=name, obj=self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it: the version of its layout, the kind, podium's version, and the answer.

        "title" and "sentences" are what text shows first, and "notes" what to know before trusting them.

        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1()).to_dict()["kind"]
        'ranking'
        """
        from podium import __version__  # noqa: PLC0415  # the package itself

        view = self.view()
        head = {"schema_version": self._schema_version, "kind": self.schema, "podium_version": __version__}
        said = {"title": view.title, "sentences": list(view.verdict)}
        return {**head, **said, **self._content(), "notes": list(self.notes)}

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of what `to_dict` and JSON files hold.

        >>> import podium
        >>> podium.Ranking.json_schema()["required"][:3]
        ['schema_version', 'kind', 'podium_version']
        """
        return json_schemas()[cls.schema]

    def _about(self) -> dict[str, Any]:
        """Return everything but the rows, as a file of rows can hold it beside them."""
        return {key: value for key, value in self.to_dict().items() if key != self._row_key}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the rows as a "pandas", "polars" or "pyarrow" frame; by default as the scores came.

        Raises
        ------
        LabelError
            There is no such library.
        MissingExtraError
            The library is not installed.

        Examples
        --------
        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1(), confidence_level=None).to_frame("pyarrow").column_names
        ['system', 'rank', 'midrank', 'score', 'rank_sum', 'points', 'tasks_scored', 'coverage']
        """
        return as_frame(self._columns(), self.backend if backend is None else backend)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame, see `to_frame`."""
        return self.to_frame("pandas")

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows as a Polars frame, see `to_frame`."""
        return self.to_frame("polars")  # type: ignore[no-any-return]  # of any library

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows to whatever reads Arrow, such as `polars.DataFrame(result)` or `pyarrow.table(result)`."""
        return self.to_frame("pyarrow").__arrow_c_stream__(requested_schema)

    @abstractmethod
    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures.

        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1()).view().title
        'borda, task-level: 3 systems, 6 tasks'
        """

    def render(
        self,
        format: str = "table",  # noqa: A002  # the word for it
        *,
        caption: str | None = None,
        label: str | None = None,
        bold: bool = False,
        digits: int | None = None,
        columns: str | Sequence[str] = (),
    ) -> str | bytes:
        """Return the content of a file in one of `podium.report.formats.FORMATS`; the table is plain text.

        Parameters
        ----------
        format
            How.
        caption, label
            Of the main table in LaTeX. A caption is plain text, or LaTeX if it has a backslash.
        bold
            Whether LaTeX and Markdown show the best cells in bold: of a ranking all systems that may be the best.
        digits
            Decimals of scores and effects in text and documents; None for as many as they need.
        columns
            Headings of columns that text and documents show, or patterns of them: of a ranking also the mean on each
            task, by its name, or "tasks" for all. "*" shows all there are; () the usual ones.

        Raises
        ------
        LabelError
            There is no such format, or no such column.
        OutputError
            The format has no caption, label, bold letters or rounded numbers.

        Examples
        --------
        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1(), confidence_level=None).render("markdown").splitlines()[4]
        '| rank | system | score | tasks scored |'
        """
        from podium.report.formats import DOCUMENT_FORMATS, format_for, render  # noqa: PLC0415  # only where it is shown
        from podium.report.view import DocumentStyle  # noqa: PLC0415  # the same

        style, name = DocumentStyle(caption, label, bold, digits), format_for(None, format)
        style.check(name)
        wanted = texts("column", columns)
        if wanted and name not in {"table", *DOCUMENT_FORMATS}:
            raise OutputError(f"columns is for table, {', '.join(sorted(DOCUMENT_FORMATS))}, and not for {name}")
        view = style.of(self.view) if wanted or style != DocumentStyle() else None
        return render(self, name, view and view.chosen(columns=wanted))

    def save(self, path: str | Path, format: str | None = None, **options: Any) -> None:  # noqa: A002  # the word for it
        """Write a file; the suffix says in which format, unless one is named: of the numbers, or the first picture.

        Other keywords are those of `render`, or for a picture of `plot`.

        Raises
        ------
        LabelError
            There is no such format; or a picture is wanted, and there is none.
        OutputError
            The file cannot be written, or its suffix is that of no format; without one it holds the table as text.

        Examples
        --------
        >>> import podium
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     podium.rank(podium.datasets.toy_table1()).save(f"{folder}/board.csv")
        ...     len(Path(f"{folder}/board.csv").read_text().splitlines())
        4
        """
        from podium.base.file import write  # noqa: PLC0415  # only where something is written
        from podium.report.formats import format_for  # noqa: PLC0415  # the same
        from podium.report.picture import PICTURES  # noqa: PLC0415  # the same

        target = checked_path("path", path, error=OutputError)
        if format is None and target.suffix.lower() in PICTURES:
            self.plot(**options).save(target)
            return
        write(self.render(format_for(target, format, also=PICTURES), **options), target)

    def plot(self, name: str | None = None, **options: Any) -> "Picture":
        """Draw one of the figures of its view, for a notebook or a file; the first unless one is named.

        Parameters
        ----------
        name
            Name of the figure, as the command line calls it.
        **options
            Of the picture, see the function of `podium.plots` that draws it. Every picture takes `width`, such as
            "3.3in" or "84mm", and `font`, the size of its letters in points.

        Raises
        ------
        LabelError
            There is no such figure; results of some kinds have none.
        MethodError
            There is nothing to draw, such as intervals where there are none; or the width is too small for all words.
        MissingExtraError
            Matplotlib is not installed.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(2, 6, 50, dispersion=1.0, rng=0).scores
        >>> podium.compare(scores, control="system 1", treatment="system 2").plot("forest", sort="effect")
        Picture(forest: The effect on every task, and pooled; .save('forest.svg') writes it)
        """
        from podium.report.picture import picture_of  # noqa: PLC0415  # only where something is drawn

        return picture_of(self, self.view(), name, options)

    def __repr__(self) -> str:
        from podium.report.text import summary  # noqa: PLC0415  # only where it is shown

        return summary(type(self).__name__, self.view())

    def _repr_html_(self) -> str:
        """Return the view as HTML, for notebooks: a click on a heading sorts the rows."""
        from podium.report.html import to_fragment  # noqa: PLC0415  # only in notebooks

        return to_fragment(self.view())
