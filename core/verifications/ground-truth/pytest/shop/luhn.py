def is_card_number(text):
    """Whether the check digit (Luhn) fits; spaces do not matter."""
    digits = text.replace(" ", "")
    if not digits.isdecimal() or not 12 <= len(digits) <= 19:
        return False
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit)
        if index % 2 == 1:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return total % 10 == 0
