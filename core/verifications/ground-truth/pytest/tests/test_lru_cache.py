import pytest

from shop.lru_cache import LruCache


@pytest.fixture
def cache():
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    return cache


def test_holds_as_many_as_it_can(cache):
    assert (cache.get("a"), cache.get("b"), len(cache)) == (1, 2, 2)


def test_forgets_what_was_put_in_first(cache):
    cache.put("c", 3)
    assert cache.get("a") is None
    assert len(cache) == 2


def test_keeps_what_was_read_since(cache):
    cache.get("a")
    cache.put("c", 3)
    assert cache.get("a") == 1
    assert cache.get("b", "gone") == "gone"


def test_a_new_value_counts_as_used(cache):
    cache.put("a", 10)
    cache.put("c", 3)
    assert cache.get("a") == 10
    assert cache.get("b") is None


def test_cannot_hold_nothing():
    with pytest.raises(ValueError):
        LruCache(0)
