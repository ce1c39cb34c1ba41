"""A packed file as it is unpacked, piece by piece and never to more than a file of its size should hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO, Final

from unveil.files.parquet_pages import UnpackedSize

#: The first bytes of packed files, with the name that Arrow has for the method.
PACKED: Final = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bz2"))


def packing_of(head: bytes) -> str | None:
    """The method by which a file with these first bytes is packed; None if it is not."""
    return next((method for mark, method in PACKED if head.startswith(mark)), None)


class Unpacking:
    """The contents of a packed file. A file that is damaged is an OSError, as one that cannot be read is."""

    def __init__(self, path: Path, handle: BinaryIO, method: str) -> None:
        size = handle.seek(0, 2)
        handle.seek(0)
        self._left = UnpackedSize(path, size)
        # Loaded by whoever unpacks: it takes longer than reading many a file.
        import pyarrow as pa

        self._broken = (pa.ArrowException, OSError, ValueError, MemoryError)
        self._stream: Any = pa.CompressedInputStream(pa.PythonFile(handle, mode="r"), method)

    def read(self, count: int) -> bytes:
        """The next bytes, at most so many; none at the end."""
        try:
            data: bytes = self._stream.read(count)
        except self._broken:
            raise OSError("the packed file is damaged") from None
        self._left.take(len(data))
        return data
