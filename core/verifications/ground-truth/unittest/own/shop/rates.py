RATES = {"standard": 19, "reduced": 7}


def rate_of(kind):
    if kind not in RATES:
        raise KeyError(f"there is no rate {kind}")
    return RATES[kind]


def set_rate(kind, percent):
    if percent < 0 or percent > 100:
        raise ValueError(f"{percent} is no rate")
    RATES[kind] = percent
