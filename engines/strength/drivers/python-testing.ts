/** The file with mutants. */
export const changed = 'shop/price.py'

const shop = `
import functools

RATES = {"low": 5 + 2, "high": 19}

def rate_of(kind):
    return RATES.get(kind) or 0

def total(net, kind):
    if net < 0:
        raise ValueError("négative 😀")
    tax = net * rate_of(kind) / 100
    return net + 50 if tax > 50 else net + tax

@functools.lru_cache(None)
def slow(n):
    return n * 3

def count(n):
    left, steps = n, 0
    while left > 0:
        left = before(left)
        steps += 1
    return steps

def before(n):
    return n - 1

def times(function):
    @functools.wraps(function)
    def inner(*arguments, by=1 + 1):
        return function(*arguments) * by
    return inner

class Cart:
    limit = 2 + 3

    @times
    def size(self):
        return 2 * 4

    @staticmethod
    def sorted(items):
        return sorted(items, key=lambda one: one + 1 - one * 2)

STATE = []
def add(one):
    STATE.append(one)
    return len(STATE)

def unused(a):
    return a + 1
`

export const pytestSuite = {
  'shop/__init__.py': '',
  [changed]: shop,
  'conftest.py': '',
  'tests/test_price.py': `
import os
import pytest
from shop.price import Cart, count, rate_of, slow, total

@pytest.fixture(scope="module")
def size():
    return Cart().size()

@pytest.mark.parametrize("net,kind,expected", [(100, "low", 107), (1000, "high", 1050)])
def test_adds(net, kind, expected):
    assert total(net, kind) == expected

def test_refuses():
    with pytest.raises(ValueError):
        total(-1, "low")

def test_counts():
    assert count(3) == 3

def test_warms():
    slow(4)

def test_is_slow():
    assert slow(4) == 12

def test_is_warm():
    slow(4)

def test_needs_size(size):
    pass

def test_size(size):
    assert size == 16

@pytest.mark.skip
def test_skipped():
    assert total(7, "low") == 8

@pytest.mark.skipif("ALONE" in os.environ, reason="It fails.")
def test_fails_anyway():
    assert rate_of("high") == 20

@pytest.mark.xfail(strict=True)
def test_known():
    assert rate_of("none") == 1
`,
  'tests/test_cart.py': `
from shop.price import Cart, add

def test_first():
    assert add(1) == 1

def test_needs_the_first():
    assert add(2) == 2

def test_sorts():
    assert Cart.sorted([1, 2, 3]) == [3, 2, 1]

def test_limit(tmp_path):
    (tmp_path / "limit").write_text("5")

def test_limit():
    assert Cart.limit == 5
`,
}

export const unittestSuite = {
  'shop/__init__.py': '',
  [changed]: shop,
  'tests/__init__.py': '',
  'tests/test_price.py': `
import os
import unittest
from shop.price import Cart, count, rate_of, slow, total

class TotalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.size = Cart().size()

    def test_a_size(self):
        pass

    def test_adds(self):
        for net, kind, expected in [(100, "low", 107), (1000, "high", 1050)]:
            with self.subTest(kind):
                self.assertEqual(total(net, kind), expected)

    def test_refuses(self):
        with self.assertRaises(ValueError):
            total(-1, "low")

    def test_size(self):
        self.assertEqual(self.size, 16)

class CountTest(unittest.TestCase):
    def test_a_warms(self):
        slow(4)

    def test_counts(self):
        self.assertEqual(count(3), 3)

    def test_is_slow(self):
        self.assertEqual(slow(4), 12)

    def test_is_warm(self):
        slow(4)

    @unittest.skip("later")
    def test_skipped(self):
        self.assertEqual(total(7, "low"), 8)

    @unittest.skipIf("ALONE" in os.environ, "It fails.")
    def test_fails_anyway(self):
        self.assertEqual(rate_of("high"), 20)

    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual(rate_of("none"), 1)
`,
  'tests/test_cart.py': `
import unittest
from shop.price import Cart, add

class CartTest(unittest.TestCase):
    def test_first(self):
        self.assertEqual(add(1), 1)

    def test_needs_the_first(self):
        self.assertEqual(add(2), 2)

    def test_sorts(self):
        self.assertEqual(Cart.sorted([1, 2, 3]), [3, 2, 1])

    def test_limit(self):
        self.assertEqual(Cart.limit, 5)
`,
}
