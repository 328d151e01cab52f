import unittest

from shop.visits import note_visit


class VisitTest(unittest.TestCase):
    def test_a_visit_is_counted(self):
        self.assertGreaterEqual(note_visit("ada"), 1)
