import unittest
from datetime import date

from shop.month_ends import add_months


class AddMonthsTest(unittest.TestCase):
    def test_the_day_stays(self):
        self.assertEqual(add_months(date(2026, 1, 15), 1), date(2026, 2, 15))
        self.assertEqual(add_months(date(2026, 1, 15), 0), date(2026, 1, 15))

    def test_a_shorter_month_ends_earlier(self):
        self.assertEqual(add_months(date(2026, 1, 31), 1), date(2026, 2, 28))
        self.assertEqual(add_months(date(2028, 1, 31), 1), date(2028, 2, 29))
        self.assertEqual(add_months(date(2026, 5, 31), 1), date(2026, 6, 30))

    def test_years_go_over(self):
        self.assertEqual(add_months(date(2026, 11, 30), 1), date(2026, 12, 30))
        self.assertEqual(add_months(date(2026, 12, 1), 1), date(2027, 1, 1))
        self.assertEqual(add_months(date(2026, 1, 1), 25), date(2028, 2, 1))

    def test_months_can_be_taken_off(self):
        self.assertEqual(add_months(date(2026, 3, 31), -1), date(2026, 2, 28))
        self.assertEqual(add_months(date(2026, 1, 1), -1), date(2025, 12, 1))
