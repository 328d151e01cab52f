import unittest

from shop.csv_line import format_csv_line


class FormatCsvLineTest(unittest.TestCase):
    def test_plain_fields_stay_plain(self):
        self.assertEqual(format_csv_line(["a", 1, ""]), "a,1,")

    def test_commas_and_line_breaks_are_quoted(self):
        self.assertEqual(format_csv_line(["a,b", "c\nd", "e"]), '"a,b","c\nd",e')

    def test_quotes_are_doubled(self):
        self.assertEqual(format_csv_line(['say "hi"']), '"say ""hi"""')

    def test_no_fields_are_an_empty_line(self):
        self.assertEqual(format_csv_line([]), "")
