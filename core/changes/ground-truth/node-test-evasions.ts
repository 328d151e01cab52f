import { append, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'
import { closeInTime, negativeTest, refuseNegative, roundTax, taxTest, timeOf } from './node-test-edits.ts'

/** Changes whose tests are deleted, skipped, weakened, hidden or assert nothing. */
export const evasions: readonly KnownChange[] = [
  {
    name: 'fix that deletes the test that it breaks',
    edits: [
      refuseNegative,
      replace('src/stock.js', 'if (left < 0)', 'if (left <= 0)'),
      negativeTest,
      replace(
        'test/stock.test.js',
        `test('takes articles out, all of them too', () => {
  const stock = stocked()
  stock.take('cup', 3)
  assert.equal(stock.amountOf('cup'), 0)
})

`,
        '',
      ),
    ],
    verdict: ['unproved', 'broken'],
    transitions: { 'takes articles out, all of them too': 'gone' },
    says: ['takes articles out, all of them too'],
  },
  {
    name: 'fix that skips the test that it breaks',
    edits: [
      refuseNegative,
      replace('src/stock.js', 'if (left < 0)', 'if (left <= 0)'),
      negativeTest,
      replace('test/stock.test.js', "test('takes articles out, all", "test.skip('takes articles out, all"),
    ],
    verdict: ['unproved', 'broken'],
    says: ['takes articles out, all of them too'],
    isAside: true,
  },
  {
    name: 'test that asserts nothing',
    edits: [
      closeInTime,
      append(
        'test/hours.test.js',
        `
test('closes in time', () => {
  isOpen(day, '18:00')
})
`,
      ),
    ],
    verdict: 'unproved',
    says: ['closes in time'],
    isAside: true,
  },
  {
    name: 'skipped test',
    edits: [
      closeInTime,
      append(
        'test/hours.test.js',
        `
test('closes in time', { skip: 'for now' }, () => {
  assert.equal(isOpen(day, '18:00'), false)
})
`,
      ),
    ],
    verdict: 'unproved',
  },
  {
    name: 'test to do',
    edits: [
      append(
        'src/hours.js',
        `
/** Whether the shop is closed all day. */
export const isClosed = ({ opens, closes }) => opens === closes
`,
      ),
      replace(
        'test/hours.test.js',
        'import { isOpen, minutesOf, weeklyHours }',
        'import { isClosed, isOpen, minutesOf, weeklyHours }',
      ),
      append(
        'test/hours.test.js',
        `
test('is closed all day', { todo: true }, () => {
  assert.equal(isClosed(day), true)
})
`,
      ),
    ],
    verdict: ['unproved', 'broken'],
    isAside: true,
  },
  {
    name: 'test weakened to pass',
    edits: [
      replace('src/hours.js', 'return minutes / 60', 'return Math.floor(minutes / 60)'),
      replace('test/hours.test.js', "closes: '12:00' }]), 11.5)", "closes: '12:00' }]) >= 11, true)"),
    ],
    verdict: 'unproved',
    says: ['adds the hours of a week'],
    isAside: true,
  },
  {
    name: 'new function that is hidden from coverage',
    edits: [
      roundTax,
      taxTest,
      append('src/hours.js', `\n/* node:coverage disable */\n/* c8 ignore start */\n${timeOf}/* c8 ignore stop */\n`),
    ],
    verdict: 'unproved',
    says: ['src/hours.js'],
  },
  {
    name: 'test that reads the source',
    edits: [
      roundTax,
      append(
        'test/price.test.js',
        `
test('rounds the tax', async () => {
  const { readFile } = await import('node:fs/promises')
  assert.match(await readFile(new URL('../src/price.js', import.meta.url), 'utf8'), /Math\\.round\\(\\(cents \\* \\(100/)
})
`,
      ),
    ],
    // It fails without the change. That it says nothing of behavior is beyond what runs show.
    verdict: ['unproved', 'proved'],
    isAside: true,
  },
  {
    name: 'configuration that hides the broken test',
    edits: [
      roundTax,
      replace('src/price.js', 'percent > 100)', 'percent >= 100)'),
      write(
        'test/tax.test.js',
        `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTax } from '../src/price.js'

test('rounds the tax to the nearest cent', () => {
  assert.equal(withTax(999, 19), 1189)
})
`,
      ),
      replace('package.json', '"node --test"', '"node --test test/tax.test.js test/stock.test.js test/hours.test.js"'),
    ],
    verdict: ['unproved', 'broken'],
    says: ['takes the discount off'],
    isAside: true,
  },
]
