from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def with_tax(net, percent):
    """Net, tax and gross; half a cent is rounded up."""
    net = Decimal(net)
    if net < 0:
        raise ValueError("prices are not negative")
    tax = (net * Decimal(percent) / 100).quantize(CENT, ROUND_HALF_UP)
    return {"net": net, "tax": tax, "gross": net + tax}
