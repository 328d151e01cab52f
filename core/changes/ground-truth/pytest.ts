import { append, move, remove, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

const firstDayFree = replace('library/loans.py', 'days_late * daily', '(days_late - 1) * daily')
/** The test of the fee, as it is after the first day is free. */
const feeTest = replace(
  'tests/test_loans.py',
  '(2, 40), (25, 500), (26, 500)]',
  '(1, 0), (2, 20), (3, 40), (26, 500), (27, 500)]',
)
const stayClosed = replace('library/loans.py', '    if due in closed:', '    while due in closed:')
const closedTest = append(
  'tests/test_loans.py',
  `

def test_is_not_due_on_the_second_closed_day():
    closed = [date(2026, 1, 8), date(2026, 1, 9)]
    assert due_on(date(2026, 1, 1), days=7, closed=closed) == date(2026, 1, 10)
`,
)
const anArticle = replace('library/catalog.py', '("The ", "A ")', '("The ", "An ", "A ")')
const renewal = `

def renew(loan, today, days=28):
    """Extends a loan from today; one that was renewed twice, or is late, stays as it is."""
    if loan["renewed"] >= 2 or today > loan["due"]:
        return loan
    return {"renewed": loan["renewed"] + 1, "due": due_on(today, days)}
`
const importRenew = replace('tests/test_loans.py', 'due_on, fee, may_borrow', 'due_on, fee, may_borrow, renew')

export const pytest: readonly KnownChange[] = [
  {
    name: 'right fix with its test',
    edits: [stayClosed, closedTest],
    verdict: 'proved',
    transitions: { test_is_not_due_on_the_second_closed_day: 'new_passing' },
  },
  { name: 'right fix without a test', edits: [anArticle], verdict: 'unproved' },
  {
    name: 'fix with changed cases of a parametrized test',
    edits: [firstDayFree, feeTest],
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'fix with a test that passes before it too',
    edits: [
      anArticle,
      append(
        'tests/test_catalog.py',
        `

def test_leaves_an_out():
    assert sort_key("An") == "an"
`,
      ),
    ],
    verdict: 'unproved',
    says: ['test_leaves_an_out'],
    isAside: true,
  },
  {
    name: 'fix that breaks another test',
    edits: [
      replace('library/catalog.py', '("The ", "A ")', '("The", "An", "A")'),
      replace('library/catalog.py', 'title[len(article):].lower()', 'title[len(article):].strip().lower()'),
      append(
        'tests/test_catalog.py',
        `

def test_leaves_an_out():
    assert sort_key("An Apple") == "apple"
`,
      ),
    ],
    verdict: 'broken',
    transitions: { test_leaves_articles_out: 'broken' },
    says: ['test_leaves_articles_out'],
  },
  {
    name: 'refactoring that keeps behavior',
    edits: [
      replace(
        'library/loans.py',
        '    limit = 3 if reader["age"] < 14 else 5\n    return lent < limit',
        '    if reader["age"] < 14:\n        return lent < 3\n    return lent < 5',
      ),
    ],
    expect: 'same',
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'refactoring with a change that no test notices',
    before: [
      replace('tests/test_loans.py', 'may_borrow({"age": 14}, 4)', 'may_borrow({"age": 40}, 4)'),
      replace('tests/test_loans.py', 'may_borrow({"age": 14}, 5)', 'may_borrow({"age": 40}, 5)'),
    ],
    edits: [
      replace(
        'library/loans.py',
        '    limit = 3 if reader["age"] < 14 else 5\n    return lent < limit',
        '    if reader["age"] <= 14:\n        return lent < 3\n    return lent < 5',
      ),
    ],
    expect: 'same',
    verdict: 'unproved',
  },
  {
    name: 'only a test',
    edits: [
      append(
        'tests/test_catalog.py',
        `

def test_an_empty_shelf():
    assert shelf([]) == []
`,
      ),
    ],
    verdict: 'no_code_changed',
    isAside: true,
  },
  {
    name: 'flaky test',
    edits: [
      stayClosed,
      append(
        'tests/test_loans.py',
        `

def test_is_not_due_on_the_second_closed_day():
    import random

    closed = [date(2026, 1, 8), date(2026, 1, 9)]
    assert due_on(date(2026, 1, 1), days=7, closed=closed) == date(2026, 1, 10)
    assert random.SystemRandom().random() < 0.5
`,
      ),
    ],
    verdict: 'flaky',
    says: ['test_is_not_due_on_the_second_closed_day'],
    repeats: 10,
  },
  {
    name: 'syntax error',
    edits: [stayClosed, closedTest, replace('library/loans.py', 'def fee(days_late', 'def fee((days_late')],
    verdict: ['not_built', 'broken'],
    isAside: true,
  },
  {
    name: 'deleted test with the code that it tests',
    edits: [
      replace(
        'library/catalog.py',
        `

def shelf(books):
    """Lists titles by author, then by title."""
    ordered = sorted(books, key=lambda book: (book["author"], sort_key(book["title"])))
    return [book["title"] for book in ordered]
`,
        '',
      ),
      replace(
        'tests/test_catalog.py',
        `

def test_sorts_the_shelf(books):
    assert shelf(books) == ["Beowulf", "Emma", "The Hobbit"]


def test_sorts_books_of_an_author_by_title():
    books = [{"author": "x", "title": title} for title in ("The b", "c", "A a")]
    assert shelf(books) == ["A a", "The b", "c"]
`,
        '',
      ),
      replace('tests/test_catalog.py', 'import shelf, sort_key', 'import sort_key'),
    ],
    verdict: 'unproved',
    transitions: { test_sorts_the_shelf: 'gone' },
    says: ['test_sorts_the_shelf'],
  },
  {
    name: 'skipped test',
    edits: [
      stayClosed,
      append(
        'tests/test_loans.py',
        `

@pytest.mark.skip(reason="for now")
def test_is_not_due_on_the_second_closed_day():
    closed = [date(2026, 1, 8), date(2026, 1, 9)]
    assert due_on(date(2026, 1, 1), days=7, closed=closed) == date(2026, 1, 10)
`,
      ),
    ],
    verdict: 'unproved',
    isAside: true,
  },
  {
    name: 'test that is expected to fail',
    edits: [
      stayClosed,
      append(
        'tests/test_loans.py',
        `

@pytest.mark.xfail
def test_is_not_due_on_the_second_closed_day():
    closed = [date(2026, 1, 8), date(2026, 1, 9)]
    assert due_on(date(2026, 1, 1), days=7, closed=closed) == date(2026, 1, 10)
`,
      ),
    ],
    verdict: 'unproved',
  },
  {
    name: 'test that no runner finds',
    edits: [
      stayClosed,
      append(
        'tests/test_loans.py',
        `

def check_is_not_due_on_the_second_closed_day():
    closed = [date(2026, 1, 8), date(2026, 1, 9)]
    assert due_on(date(2026, 1, 1), days=7, closed=closed) == date(2026, 1, 10)
`,
      ),
    ],
    verdict: 'unproved',
    isAside: true,
  },
  {
    name: 'renamed test file',
    edits: [stayClosed, closedTest, move('tests/test_loans.py', 'tests/test_lending.py')],
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'fix whose test needs a changed fixture',
    edits: [
      replace('library/catalog.py', '        for title, author, year in', '        for title, author, year, *_ in'),
      replace('tests/data/books.csv', 'Emma;Austen;1815', 'Emma;Austen;1815;lent'),
      append(
        'tests/test_catalog.py',
        `

def test_ignores_more_columns(books):
    assert books[1] == {"title": "Emma", "author": "Austen", "year": 1815}
`,
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'only a fixture',
    edits: [
      replace('tests/data/books.csv', 'Beowulf;;\n', 'Ilias;Homer;\nBeowulf;;\n'),
      replace(
        'tests/test_catalog.py',
        '["Beowulf", "Emma", "The Hobbit"]',
        '["Beowulf", "Emma", "Ilias", "The Hobbit"]',
      ),
    ],
    verdict: 'no_code_changed',
    isAside: true,
  },
  {
    name: 'new function with good tests',
    edits: [
      append('library/loans.py', renewal),
      importRenew,
      append(
        'tests/test_loans.py',
        `

def test_renews_a_loan():
    assert renew({"renewed": 1, "due": date(2026, 1, 5)}, date(2026, 1, 5)) == {"renewed": 2, "due": date(2026, 2, 2)}
    assert renew({"renewed": 0, "due": date(2026, 1, 5)}, date(2026, 1, 1), days=7)["due"] == date(2026, 1, 8)


def test_renews_no_loan_twice():
    loan = {"renewed": 2, "due": date(2026, 1, 5)}
    assert renew(loan, date(2026, 1, 1)) == loan


def test_renews_no_late_loan():
    loan = {"renewed": 0, "due": date(2026, 1, 5)}
    assert renew(loan, date(2026, 1, 6)) == loan
`,
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'new function whose test only calls it',
    edits: [
      append('library/loans.py', renewal),
      importRenew,
      append(
        'tests/test_loans.py',
        `

def test_renews_a_loan():
    renewed = renew({"renewed": 1, "due": date(2026, 1, 5)}, date(2026, 1, 5))
    kept = renew({"renewed": 2, "due": date(2026, 1, 5)}, date(2026, 1, 5))
    assert renewed is not None
    assert kept is not None
`,
      ),
    ],
    verdict: 'unproved',
    isAside: true,
  },
  {
    name: 'deleted test file beside a right fix',
    edits: [
      anArticle,
      remove('tests/test_catalog.py'),
      write(
        'tests/test_articles.py',
        'from library.catalog import sort_key\n\n\ndef test_leaves_an_out():\n    assert sort_key("An Apple") == "apple"\n',
      ),
    ],
    verdict: ['unproved', 'broken'],
    says: ['test_catalog'],
  },
]
