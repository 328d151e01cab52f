import unittest

from meter.readings import cost, level, used


class UsedTest(unittest.TestCase):
    def test_differences(self):
        self.assertEqual(used([10, 15, 25]), [5, 10])

    def test_no_readings(self):
        self.assertEqual(used([]), [])


class CostTest(unittest.TestCase):
    def test_price(self):
        self.assertEqual(cost(10, 3), 30)

    def test_free(self):
        self.assertEqual(cost(10, 3, free=4), 18)


class LevelTest(unittest.TestCase):
    def test_levels(self):
        self.assertEqual([level(amount) for amount in (0, 99, 100, 499, 500)], ["low", "low", "normal", "normal", "high"])


if __name__ == "__main__":
    unittest.main()
