from datetime import date

from shop.business_days import add_business_days


def test_weekends_do_not_count():
    day = add_business_days(date(2026, 3, 6), 1)
    if day == date(2026, 3, 9):
        assert day.weekday() == 0
