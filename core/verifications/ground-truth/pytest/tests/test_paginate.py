import pytest

from shop.paginate import paginate

LETTERS = list("abcdefg")


def test_the_first_page_has_none_before_it():
    assert paginate(LETTERS, 1, 3) == {"items": ["a", "b", "c"], "previous": None, "next": 2}


def test_a_page_in_the_middle():
    assert paginate(LETTERS, 2, 3) == {"items": ["d", "e", "f"], "previous": 1, "next": 3}


def test_the_last_page_has_what_is_left():
    assert paginate(LETTERS, 3, 3) == {"items": ["g"], "previous": 2, "next": None}


def test_a_full_page_is_the_last_one():
    assert paginate(LETTERS[:6], 2, 3)["next"] is None


def test_nothing_is_one_empty_page():
    assert paginate([]) == {"items": [], "previous": None, "next": None}


@pytest.mark.parametrize("page", [0, 4])
def test_pages_that_are_not_there(page):
    with pytest.raises(IndexError, match=f"page {page} of 3"):
        paginate(LETTERS, page, 3)


def test_a_page_holds_something():
    with pytest.raises(ValueError):
        paginate(LETTERS, 1, 0)
