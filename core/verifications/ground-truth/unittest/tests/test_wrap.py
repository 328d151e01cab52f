import unittest

from shop.wrap import wrap


class WrapTest(unittest.TestCase):
    def test_what_fits_is_one_line(self):
        self.assertEqual(wrap("tea and milk", 12), ["tea and milk"])

    def test_what_does_not_fit_goes_to_the_next(self):
        self.assertEqual(wrap("tea and milk", 11), ["tea and", "milk"])
        self.assertEqual(wrap("a b c d", 3), ["a b", "c d"])

    def test_a_long_word_has_its_own_line(self):
        self.assertEqual(wrap("a marmalade b", 5), ["a", "marmalade", "b"])

    def test_spaces_are_made_one(self):
        self.assertEqual(wrap("  a \n b ", 10), ["a b"])
        self.assertEqual(wrap("", 10), [])
