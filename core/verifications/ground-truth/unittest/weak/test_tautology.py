import unittest

from shop.wrap import wrap


class WrapTest(unittest.TestCase):
    def test_wraps(self):
        self.assertEqual(wrap("a b c d", 3), wrap("a b c d", 3))
        lines = wrap("tea and milk", 7)
        self.assertEqual(lines, lines)
