import unittest

from shop.ranking import rank


class RankTest(unittest.TestCase):
    def test_ranks_without_an_error(self):
        try:
            rank({"ada": 5, "bob": 9})
        except Exception as error:
            self.fail(f"raised {error}")
