import os

import pytest

from pullback.engine.kernels import cache


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))


def writing(content, made):
    def make(path):
        made.append(content)
        path.write_bytes(content)

    return make


def test_an_entry_is_made_once():
    made = []
    first = cache.entry("key", writing(b"library", made))
    assert cache.entry("key", writing(b"other", made)) == first
    assert made == [b"library"]
    assert first.read_bytes().startswith(b"library")


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"X" + b[1:], lambda b: b""])
def test_a_damaged_entry_is_made_again(damage):
    made = []
    place = cache.entry("key", writing(b"library", made))
    place.write_bytes(damage(place.read_bytes()))
    assert cache.found("key", ".so") is None
    cache.entry("key", writing(b"library", made))
    assert cache.found("key", ".so") == b"library"
    assert len(made) == 2


def test_nothing_is_left_where_making_fails():
    def fail(path):
        path.write_bytes(b"half")
        raise RuntimeError("no space")

    with pytest.raises(RuntimeError, match="no space"):
        cache.entry("key", fail)
    assert list(cache.folder().iterdir()) == []


def test_the_entries_that_were_not_used_for_longest_make_room():
    places = [cache.entry(name, writing(name.encode() * 1000, [])) for name in "abcd"]
    each = places[0].stat().st_size
    for age, place in enumerate(places):
        os.utime(place, (0, 1e9 - age))
    cache.entry("c", writing(b"", []))  # used today
    assert cache.make_room(4 * each) == 0
    assert cache.make_room(3 * each) == 2
    assert [place.exists() for place in places] == [True, False, True, False]


def test_size_and_clear():
    assert cache.size() == (0, 0)
    cache.entry("one", writing(b"1", []))
    cache.entry("two", writing(b"2", []))
    entries, size = cache.size()
    assert entries == 2
    assert size > 2
    assert cache.clear() == 2
    assert cache.size() == (0, 0)


def test_without_a_name_it_is_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("PULLBACK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "pullback" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "pullback" / "kernels"
