import { append, move, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

const startAgain = replace(
  'meter/readings.py',
  'amounts.append(after - before)',
  'amounts.append(after - before if after >= before else after - before + 100000)',
)
const inUsed = (method: string) =>
  replace('tests/test_readings.py', '\n\nclass CostTest', `\n${method}\n\nclass CostTest`)
const startTest = inUsed(`    def test_starts_again(self):
        self.assertEqual(used([99998, 3, 3]), [5, 0])
`)
const neverNegative = replace('meter/readings.py', 'paid = amount - free', 'paid = max(0, amount - free)')

const daysIn = append(
  'meter/readings.py',
  `

def days_in(month):
    """Returns the days of a month other than February."""
    if month in (4, 6, 9, 11):
        return 30
    return 31
`,
)
const daysTest = (months: string) => [
  replace('tests/test_readings.py', 'import cost, level, used', 'import cost, days_in, level, used'),
  inUsed(`    def test_days(self):
        self.assertEqual([days_in(month) for month in (${months})], [${months
          .split(', ')
          .map((month) => (['4', '6', '9', '11'].includes(month) ? 30 : 31))
          .join(', ')}])
`),
]
const oldDays = '    if month in (4, 6, 9, 11):\n        return 30\n    return 31'

export const unittest: readonly KnownChange[] = [
  {
    name: 'refactoring that loses a value which no test notices',
    before: [daysIn, ...daysTest('1, 4')],
    edits: [replace('meter/readings.py', oldDays, '    return 30 if month in (4, 6, 9) else 31')],
    expect: 'same',
    verdict: 'unproved',
    says: ['in the old code', '11'],
  },
  {
    name: 'refactoring of a condition to an expression',
    before: [daysIn, ...daysTest('1, 3, 4, 5, 6, 8, 9, 10, 11, 12')],
    edits: [replace('meter/readings.py', oldDays, '    return 30 if month in (4, 6, 9, 11) else 31')],
    expect: 'same',
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'renamed local variables',
    edits: [
      replace('meter/readings.py', '    amounts = []', '    found = []'),
      replace('meter/readings.py', 'amounts.append', 'found.append'),
      replace('meter/readings.py', 'return amounts', 'return found'),
      replace('meter/readings.py', 'paid = amount', 'due = amount'),
      replace('meter/readings.py', 'return paid *', 'return due *'),
    ],
    expect: 'same',
    verdict: 'proved',
  },
  { name: 'right fix with its test', edits: [startAgain, startTest], verdict: 'proved' },
  { name: 'right fix without a test', edits: [neverNegative], verdict: 'unproved', isAside: true },
  {
    name: 'fix with a test that passes before it too',
    edits: [
      startAgain,
      inUsed(`    def test_starts_again(self):
        self.assertEqual(used([99998, 99999]), [1])
`),
    ],
    verdict: 'unproved',
    says: ['test_starts_again'],
    isAside: true,
  },
  {
    name: 'fix that breaks another test',
    edits: [
      replace('meter/readings.py', 'amounts.append(after - before)', 'amounts.append(after - before + 100000)'),
      inUsed(`    def test_starts_again(self):
        self.assertEqual(used([99998, 3]), [5])
`),
    ],
    verdict: 'broken',
    transitions: { test_differences: 'broken' },
    says: ['test_differences'],
  },
  {
    name: 'refactoring with a change that tests notice',
    edits: [
      replace(
        'meter/readings.py',
        `    if amount < 100:
        return "low"
    if amount < 500:
        return "normal"
    return "high"`,
        `    for limit, name in ((100, "low"), (500, "normal")):
        if amount <= limit:
            return name
    return "high"`,
      ),
    ],
    expect: 'same',
    verdict: 'broken',
  },
  {
    name: 'refactoring that keeps behavior',
    edits: [
      replace(
        'meter/readings.py',
        `    if amount < 100:
        return "low"
    if amount < 500:
        return "normal"
    return "high"`,
        `    if amount >= 500:
        return "high"
    return "low" if amount < 100 else "normal"`,
      ),
    ],
    expect: 'same',
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'test that is expected to fail',
    edits: [
      neverNegative,
      replace(
        'tests/test_readings.py',
        '\n\nclass LevelTest',
        `
    @unittest.expectedFailure
    def test_more_is_free_than_used(self):
        self.assertEqual(cost(3, 3, free=4), 1)

\nclass LevelTest`,
      ),
    ],
    verdict: 'unproved',
  },
  {
    name: 'test without an assertion',
    edits: [
      startAgain,
      inUsed(`    def test_starts_again(self):
        used([99998, 3, 3])
`),
    ],
    verdict: 'unproved',
    says: ['test_starts_again'],
    isAside: true,
  },
  {
    name: 'renamed test file',
    edits: [startAgain, startTest, move('tests/test_readings.py', 'tests/test_meter.py')],
    verdict: 'proved',
  },
  {
    name: 'new module with good tests',
    edits: [
      write(
        'meter/months.py',
        'def per_month(amount, months):\n    """Returns the mean amount of a month."""\n    if months == 0:\n        return None\n    return amount / months\n',
      ),
      write(
        'tests/test_months.py',
        `import unittest

from meter.months import per_month


class PerMonthTest(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(per_month(120, 12), 10)
        self.assertEqual(per_month(5, 1), 5)

    def test_no_months(self):
        self.assertIsNone(per_month(5, 0))
`,
      ),
    ],
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'only documentation',
    edits: [write('docs/readings.md', '# Readings\n\nA meter has five digits.\n')],
    verdict: 'no_code_changed',
  },
  {
    name: 'syntax error in the test',
    edits: [startAgain, startTest, append('tests/test_readings.py', '    )\n')],
    verdict: ['not_built', 'broken'],
    isAside: true,
  },
]
