from collections import deque


def moving_average(values, size):
    """The mean of every `size` values in a row."""
    if size < 1:
        raise ValueError("a window holds at least one value")
    window = deque(maxlen=size)
    averages = []
    for value in values:
        window.append(value)
        if len(window) == size:
            averages.append(sum(window) / size)
    return averages
