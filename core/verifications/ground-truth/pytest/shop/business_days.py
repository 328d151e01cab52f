from datetime import timedelta


def add_business_days(start, days, holidays=()):
    """The day on which so many working days have passed."""
    if days < 0:
        raise ValueError("days cannot be taken back")
    day = start
    while days > 0:
        day += timedelta(days=1)
        if day.weekday() < 5 and day not in holidays:
            days -= 1
    return day
