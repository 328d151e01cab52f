import unittest

from shop.settings import parse_settings


class SettingsTest(unittest.TestCase):
    def test_reads_settings(self):
        parse_settings("[web]\nhost = example.com\n")
        parse_settings("")
