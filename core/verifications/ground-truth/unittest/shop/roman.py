VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def from_roman(text):
    if not text or any(letter not in VALUES for letter in text):
        raise ValueError(f"not a Roman numeral: {text!r}")
    values = [VALUES[letter] for letter in text]
    total = 0
    for value, following in zip(values, [*values[1:], 0]):
        total += -value if value < following else value
    return total
