from datetime import timedelta


def due_on(lent_on, days=28, closed=()):
    """Returns the day by which a book is due; never a day on which the library is closed."""
    due = lent_on + timedelta(days=days)
    if due in closed:
        due += timedelta(days=1)
    return due


def fee(days_late, daily=20, limit=500):
    """Returns the fee in cents; the first day is free."""
    if days_late < 1:
        return 0
    return min(limit, days_late * daily)


def may_borrow(reader, lent):
    """Readers may have five books, children three."""
    limit = 3 if reader["age"] < 14 else 5
    return lent < limit
