import unittest

from shop.rates import rate_of, set_rate


class ChangeTest(unittest.TestCase):
    def test_a_rate_can_be_changed(self):
        set_rate("standard", 21)
        self.assertEqual(rate_of("standard"), 21)
        self.assertEqual(rate_of("reduced"), 7)
