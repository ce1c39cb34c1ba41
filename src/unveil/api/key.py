"""The secret that owners share, as programs hold it."""

from __future__ import annotations

from pathlib import Path

from unveil.encoding.keys import OwnerKey
from unveil.files import key_file


class Key:
    """
    The secret that two owners share and nobody else has; it is never printed.

    Encodings under different keys look like random bits to each other. `Key.new()` makes one, `Key.read` takes it from
    a file that `unveil key new` or `write` made.
    """

    __slots__ = ("_owner_key",)

    def __init__(self, owner_key: OwnerKey) -> None:
        self._owner_key = owner_key

    @classmethod
    def new(cls) -> Key:
        """A fresh key of 32 random bytes from the operating system."""
        return cls(OwnerKey.generate())

    @classmethod
    def read(cls, path: Path | str) -> Key:
        """The key in a key file; a file that others can read is refused."""
        return cls(OwnerKey(key_file.read(Path(path))))

    def write(self, path: Path | str) -> None:
        """Save the key in a file that you alone can read; a file that exists is never replaced."""
        key_file.write(Path(path), self._owner_key.secret)

    @property
    def owner_key(self) -> OwnerKey:
        """The key as encoders take it."""
        return self._owner_key

    def __repr__(self) -> str:
        return "Key(<redacted>)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not pickled: write it to a file that you alone can read")
