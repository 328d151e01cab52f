import unittest

from shop.windows import moving_average


class MovingAverageTest(unittest.TestCase):
    def test_every_window_has_its_mean(self):
        self.assertEqual(moving_average([1, 3, 5, 8], 2), [2, 4, 6.5])

    def test_a_window_of_one_changes_nothing(self):
        self.assertEqual(moving_average([4, 2], 1), [4, 2])

    def test_a_window_as_long_as_the_values_has_one_mean(self):
        self.assertEqual(moving_average([1, 2, 6], 3), [3])

    def test_too_few_values_have_none(self):
        self.assertEqual(moving_average([1, 2], 3), [])
        self.assertEqual(moving_average([], 1), [])

    def test_a_window_holds_something(self):
        with self.assertRaisesRegex(ValueError, "at least one"):
            moving_average([1], 0)
