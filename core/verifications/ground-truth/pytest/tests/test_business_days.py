from datetime import date

import pytest

from shop.business_days import add_business_days

FRIDAY = date(2026, 3, 6)


def test_weekends_do_not_count():
    assert add_business_days(FRIDAY, 1) == date(2026, 3, 9)
    assert add_business_days(FRIDAY, 6) == date(2026, 3, 16)


def test_saturday_is_no_working_day_either():
    assert add_business_days(date(2026, 3, 5), 2) == date(2026, 3, 9)


def test_holidays_do_not_count():
    assert add_business_days(FRIDAY, 1, holidays=[date(2026, 3, 9)]) == date(2026, 3, 10)


def test_no_days_lead_nowhere():
    assert add_business_days(FRIDAY, 0) == FRIDAY


def test_days_cannot_be_taken_back():
    with pytest.raises(ValueError, match="taken back"):
        add_business_days(FRIDAY, -1)
