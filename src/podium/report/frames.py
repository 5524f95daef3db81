"""Results as tables in files for programs: Parquet and JSON Lines."""

import io
import json

from podium.difficulties import Difficulty

__all__ = ["to_jsonl", "to_parquet"]


def to_parquet(difficulty: Difficulty) -> bytes:
    """One row per instance, empty where there is no number; measures and notes as JSON in the metadata, as "podium".

    >>> import numpy as np
    >>> import pyarrow.parquet as pq
    >>> from podium.difficulties import Measure
    >>> content = to_parquet(Difficulty(np.array([7, 9]), (Measure("bias", np.array([0.5, 1.0]), "low"),)))
    >>> pq.read_table(io.BytesIO(content)).to_pydict()
    {'instance': [7, 9], 'bias': [0.5, 1.0]}
    """
    import pyarrow.parquet as pq  # noqa: PLC0415  # only where it is written

    about = difficulty.to_dict()
    del about["instances"]
    table = difficulty.to_frame("pyarrow")
    content = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"podium": json.dumps(about, ensure_ascii=False)}), content)
    return content.getvalue()


def to_jsonl(difficulty: Difficulty) -> str:
    r"""One object per instance and line.

    >>> import numpy as np
    >>> from podium.difficulties import Measure
    >>> to_jsonl(Difficulty(np.array(["a"]), (Measure("bias", np.array([0.5]), "low"),)))
    '{"instance": "a", "bias": 0.5}\n'
    """
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in difficulty.rows())
