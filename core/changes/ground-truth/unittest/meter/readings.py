def used(readings):
    """Returns what was used between readings; a meter of five digits starts again after 99999."""
    amounts = []
    for before, after in zip(readings, readings[1:]):
        amounts.append(after - before)
    return amounts


def cost(amount, price, free=0):
    """Returns the price of an amount, of which some is free."""
    paid = amount - free
    return paid * price


def level(amount):
    """Names an amount."""
    if amount < 100:
        return "low"
    if amount < 500:
        return "normal"
    return "high"
