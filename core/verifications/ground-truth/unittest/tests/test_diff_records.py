import unittest

from shop.diff_records import diff_records


class DiffRecordsTest(unittest.TestCase):
    def test_added_removed_and_changed(self):
        self.assertEqual(
            diff_records({"a": 1, "b": 1, "d": 0}, {"b": 2, "c": 3, "d": 0}),
            {"added": {"c": 3}, "removed": {"a": 1}, "changed": {"b": (1, 2)}},
        )

    def test_the_same_records_differ_in_nothing(self):
        nothing = {"added": {}, "removed": {}, "changed": {}}
        self.assertEqual(diff_records({"a": 1}, {"a": 1}), nothing)
        self.assertEqual(diff_records({}, {}), nothing)

    def test_a_value_that_is_empty_is_a_value(self):
        self.assertEqual(diff_records({"a": None}, {})["removed"], {"a": None})
        self.assertEqual(diff_records({"a": None}, {"a": 0})["changed"], {"a": (None, 0)})
