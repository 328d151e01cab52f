from shop import overlap


def test_there_is_such_a_function():
    assert callable(overlap.overlap)
    assert hasattr(overlap, "overlap")
