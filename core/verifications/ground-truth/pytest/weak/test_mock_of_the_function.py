from unittest.mock import patch

import shop.tax


def test_adds_tax():
    with patch("shop.tax.with_tax", return_value={"gross": 119}) as with_tax:
        assert shop.tax.with_tax("100", "19") == {"gross": 119}
        with_tax.assert_called_once_with("100", "19")
