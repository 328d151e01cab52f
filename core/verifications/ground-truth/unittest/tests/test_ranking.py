import unittest

from shop.ranking import rank


class RankTest(unittest.TestCase):
    def test_the_best_comes_first(self):
        self.assertEqual(rank({"ada": 5, "bob": 9, "cy": 7}), {"bob": 1, "cy": 2, "ada": 3})

    def test_the_same_score_shares_a_place(self):
        self.assertEqual(rank({"ada": 9, "bob": 9, "cy": 7}), {"ada": 1, "bob": 1, "cy": 3})
        self.assertEqual(rank({"ada": 9, "bob": 7, "cy": 7, "di": 1}), {"ada": 1, "bob": 2, "cy": 2, "di": 4})

    def test_equals_stay_in_their_order(self):
        self.assertEqual(list(rank({"bob": 1, "ada": 1, "cy": 2})), ["cy", "bob", "ada"])

    def test_nobody_has_no_place(self):
        self.assertEqual(rank({}), {})
