from shop.paginate import paginate


def test_has_pages():
    page = paginate(list("abcdefg"), 2, 3)
    assert page is not None
    assert page
