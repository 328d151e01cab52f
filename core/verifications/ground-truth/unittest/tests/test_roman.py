import unittest

from shop.roman import from_roman


class FromRomanTest(unittest.TestCase):
    def test_letters_are_added_up(self):
        self.assertEqual(from_roman("III"), 3)
        self.assertEqual(from_roman("MDCLXVI"), 1666)

    def test_a_smaller_one_before_a_larger_one_is_taken_off(self):
        for text, value in {"IV": 4, "IX": 9, "XL": 40, "MCMXCIV": 1994}.items():
            self.assertEqual(from_roman(text), value, text)

    def test_what_is_none_is_refused(self):
        for text in ["", "IIA", "iv", "4"]:
            with self.assertRaisesRegex(ValueError, "not a Roman numeral"):
                from_roman(text)
