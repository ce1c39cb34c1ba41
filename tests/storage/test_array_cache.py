"""A cache may forget, but it never gives back anything else than what was put in."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.storage import cache as module
from unveil.storage.cache import Cache


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


PAIRS: dict[str, NDArray[Any]] = {
    "left": np.arange(1000, dtype=np.int32),
    "similarity": np.linspace(0, 1, 1000).reshape(10, 100),
    "none": np.empty((0, 3), np.uint64),
    "one": np.array(7, np.int8),
}


def file_of(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "cache").iterdir()
    return path


def test_what_was_put_in_comes_back_mapped(tmp_path: Path, cache: Cache) -> None:
    """Mapped from the file and read-only: ten million pairs need not fit twice into memory."""
    assert cache.get("key") is None
    assert cache.put("key", PAIRS)
    found = Cache(tmp_path / "cache").get("key")
    assert found is not None
    assert list(PAIRS) == list(found)
    for name, array in PAIRS.items():
        assert (array.dtype, array.shape) == (found[name].dtype, found[name].shape)
        np.testing.assert_array_equal(array, found[name])
        assert (False, False) == (found[name].flags.writeable, found[name].flags.owndata)
        assert 0 == found[name].ctypes.data % found[name].itemsize
    assert (None, 0o600) == (cache.get("other"), stat.S_IMODE(file_of(tmp_path).stat().st_mode))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    key=st.text(st.characters(exclude_categories=["Cs"])),
    array=arrays_of.arrays(
        arrays_of.integer_dtypes() | arrays_of.floating_dtypes() | arrays_of.boolean_dtypes(),
        arrays_of.array_shapes(min_dims=0, min_side=0),
    ),
)
def test_any_key_and_any_plain_array(cache: Cache, key: str, array: NDArray[Any]) -> None:
    """Slashes, dots and other alphabets in keys; big-endian, empty and not-a-number in arrays; views with steps."""
    assert cache.put(key, {"array": array, "turned": array.T})
    found = cache.get(key)
    assert found is not None
    np.testing.assert_array_equal(array, found["array"])
    np.testing.assert_array_equal(array.T, found["turned"])


def test_a_damaged_or_partial_file_counts_as_absent_and_is_replaced(tmp_path: Path, cache: Cache) -> None:
    """Cut anywhere, or with any byte changed: computed again, never used."""
    cache.put("key", PAIRS)
    path, whole = file_of(tmp_path), file_of(tmp_path).read_bytes()
    padding = whole.index(b"\n") + 1
    places = [0, 20, padding - 5, (padding + 63) // 64 * 64, len(whole) // 2]
    damaged = [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in places]
    cut = [whole[:size] for size in (0, 1, padding, 1000, len(whole) - 1)]
    for wrong in [*damaged, *cut, whole + b"\0", b"\n" * 200, b"[]\n", b"{}\n"]:
        path.write_bytes(wrong)
        assert cache.get("key") is None
    assert cache.put("key", PAIRS)
    assert cache.get("key") is not None


def test_a_file_under_another_s_name_is_not_taken(tmp_path: Path, cache: Cache) -> None:
    """A result belongs to what it was computed from."""
    cache.put("one", PAIRS)
    path = file_of(tmp_path)
    cache.put("two", PAIRS)
    (other,) = set((tmp_path / "cache").iterdir()) - {path}
    path.rename(other)
    assert (None, None) == (cache.get("one"), cache.get("two"))


def test_a_disk_that_takes_nothing_costs_the_result_nothing(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full half way through, or no folder at all: the caller goes on, and no part of a file stays."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module, "_write", full)
        assert not cache.put("key", PAIRS)
    assert ([], None) == (list((tmp_path / "cache").iterdir()), cache.get("key"))
    (tmp_path / "file").touch()
    assert not Cache(tmp_path / "file" / "folder").put("key", PAIRS)


def test_arrays_of_objects_are_refused(cache: Cache) -> None:
    """Reading them back would run code."""
    with pytest.raises(SettingError, match="pairs"):
        cache.put("key", {"pairs": np.array([{}], object)})


def test_results_can_be_forgotten(tmp_path: Path, cache: Cache) -> None:
    """A closed project keeps no similarities, and no file that was being written."""
    for key in ("one", "two"):
        cache.put(key, PAIRS)
    (tmp_path / "cache" / "half written").write_bytes(b"similarities")
    for _ in range(2):
        cache.clear()
        assert (False, None) == ((tmp_path / "cache").exists(), cache.get("one"))


def test_where_nothing_is_wanted_any_more_nothing_is_kept(tmp_path: Path) -> None:
    """Not even if that was decided while a file was being written, nor what was kept before."""
    wanted = True
    cache = Cache(tmp_path / "cache", wanted=lambda: wanted)
    assert cache.put("one", PAIRS)
    wanted = False
    assert not cache.put("two", PAIRS)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755])
def test_a_folder_that_others_can_look_or_write_into_is_not_used(tmp_path: Path, mode: int) -> None:
    """What lies there may be anybody's: a comparison that somebody else made up would decide who is linked."""
    folder = tmp_path / "arrays"
    cache = Cache(folder)
    assert cache.put("key", {"a": np.arange(3)})
    folder.chmod(mode)
    assert (None, False) == (cache.get("key"), cache.put("other", {"a": np.arange(3)}))
    folder.chmod(0o700)
    assert cache.get("key") is not None
