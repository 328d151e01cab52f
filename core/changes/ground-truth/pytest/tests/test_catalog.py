from library.catalog import shelf, sort_key


def test_reads_the_catalog(books):
    assert books[0] == {"title": "The Hobbit", "author": "Tolkien", "year": 1937}


def test_a_book_without_a_year(books):
    assert books[-1]["year"] is None


def test_leaves_articles_out():
    assert sort_key("The Hobbit") == "hobbit"
    assert sort_key("A Room with a View") == "room with a view"
    assert sort_key("Theory") == "theory"


def test_sorts_the_shelf(books):
    assert shelf(books) == ["Beowulf", "Emma", "The Hobbit"]


def test_sorts_books_of_an_author_by_title():
    books = [{"author": "x", "title": title} for title in ("The b", "c", "A a")]
    assert shelf(books) == ["A a", "The b", "c"]
