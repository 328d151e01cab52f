import unittest

from shop.rates import rate_of


class RateTest(unittest.TestCase):
    def test_the_usual_rate(self):
        self.assertEqual(rate_of("standard"), 19)

    def test_a_rate_that_nobody_knows(self):
        with self.assertRaises(KeyError):
            rate_of("none")
