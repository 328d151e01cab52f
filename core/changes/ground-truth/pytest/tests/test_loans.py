from datetime import date

import pytest

from library.loans import due_on, fee, may_borrow


def test_is_due_after_four_weeks():
    assert due_on(date(2026, 1, 1)) == date(2026, 1, 29)
    assert due_on(date(2026, 1, 1), days=7) == date(2026, 1, 8)


def test_is_not_due_when_closed():
    assert due_on(date(2026, 1, 1), days=7, closed=[date(2026, 1, 8)]) == date(2026, 1, 9)


@pytest.mark.parametrize(("late", "cents"), [(-1, 0), (0, 0), (2, 40), (25, 500), (26, 500)])
def test_fee(late, cents):
    assert fee(late) == cents


def test_children_have_three_books():
    assert may_borrow({"age": 13}, 2)
    assert not may_borrow({"age": 13}, 3)


def test_readers_have_five_books():
    assert may_borrow({"age": 14}, 4)
    assert not may_borrow({"age": 14}, 5)
