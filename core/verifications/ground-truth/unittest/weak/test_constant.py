import unittest

from shop.diff_records import diff_records


class DiffTest(unittest.TestCase):
    def test_differs(self):
        diff_records({"a": 1}, {"b": 2})
        self.assertEqual(1 + 1, 2)
        self.assertTrue(True)
