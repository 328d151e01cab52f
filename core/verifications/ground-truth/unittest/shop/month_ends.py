from calendar import monthrange
from datetime import date


def add_months(day, months):
    """The same day of another month, or its last one if it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))
