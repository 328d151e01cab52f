from shop.lru_cache import LruCache


def test_forgets_what_was_put_in_first():
    cache = LruCache(2)
    for key in "abc":
        cache.put(key, key)

    def check():
        assert cache.get("a") is None
        assert cache.get("c") == "c"
