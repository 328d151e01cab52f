import csv


def read_catalog(path):
    """Reads `title;author;year` lines into a list; a line without a year has None."""
    books = []
    with open(path, newline="") as lines:
        for title, author, year in csv.reader(lines, delimiter=";"):
            books.append({"title": title, "author": author, "year": int(year) if year else None})
    return books


def sort_key(title):
    """Leaves the article out, so that "The Hobbit" is found at H."""
    for article in ("The ", "A "):
        if title.startswith(article):
            return title[len(article):].lower()
    return title.lower()


def shelf(books):
    """Lists titles by author, then by title."""
    ordered = sorted(books, key=lambda book: (book["author"], sort_key(book["title"])))
    return [book["title"] for book in ordered]
