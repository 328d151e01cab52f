import { append, move, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

const keepEmpty = replace('src/render.ts', 'values[name] || all', 'values[name] ?? all')
const emptyTest = append(
  'test/render.spec.ts',
  `
test('fills an empty value in', () => {
  expect(render('<{{a}}>', { a: '' })).toBe('<>')
})
`,
)
const ignoreCase = [
  replace(
    'src/address.ts',
    '    if (seen.has(mailbox)) return',
    '    const key = mailbox.toLowerCase()\n    if (seen.has(key)) return',
  ),
  replace('src/address.ts', 'seen.add(mailbox)', 'seen.add(key)'),
]
const closing = replace('src/render.ts', "'Yours, the shop'", "'Yours sincerely, the shop'")
const closingSnapshot = replace(
  'test/__snapshots__/render.spec.ts.snap',
  'Yours, the shop"',
  'Yours sincerely, the shop"',
)

export const vitest: readonly KnownChange[] = [
  {
    name: 'right fix with its test',
    edits: [keepEmpty, emptyTest],
    verdict: 'proved',
    transitions: { 'fills an empty value in': 'new_passing' },
  },
  { name: 'right fix without a test', edits: ignoreCase, verdict: 'unproved', isAside: true },
  {
    name: 'fix with a test that passes before it too',
    edits: [
      ...ignoreCase,
      append(
        'test/address.spec.ts',
        `
test('ignores the case of mailboxes', () => {
  const ada = { name: 'Ada', mailbox: 'ADA@example.com' }
  expect(uniqueAddresses([ada, ada])).toEqual([ada])
})
`,
      ),
    ],
    verdict: 'unproved',
    says: ['ignores the case of mailboxes'],
  },
  {
    name: 'fix that breaks another test',
    edits: [replace('src/render.ts', 'values[name] || all', "values[name] ?? ''"), emptyTest],
    verdict: 'broken',
    transitions: { 'leaves unknown names': 'broken' },
    says: ['leaves unknown names'],
    isAside: true,
  },
  {
    name: 'refactoring that keeps behavior',
    edits: [
      replace(
        'src/retry-after.ts',
        `  if (attempt > attempts) return undefined
  return Math.min(limit, base * 2 ** attempt)`,
        `  const delay = base * 2 ** attempt
  if (attempt > attempts) return undefined
  return delay > limit ? limit : delay`,
      ),
    ],
    expect: 'same',
    verdict: 'proved',
  },
  {
    name: 'refactoring with a change that tests notice',
    edits: [
      replace('src/retry-after.ts', 'if (attempt > attempts) return undefined', 'if (attempt >= attempts) return'),
    ],
    expect: 'same',
    verdict: 'broken',
    isAside: true,
  },
  {
    name: 'only types',
    edits: [
      replace(
        'src/address.ts',
        'export interface Address {\n  name: string',
        'export interface Address {\n  readonly name: string',
      ),
    ],
    expect: 'same',
    verdict: ['proved', 'no_code_changed', 'unproved'],
  },
  {
    name: 'flaky test',
    edits: [
      keepEmpty,
      append(
        'test/render.spec.ts',
        `
test('fills an empty value in', () => {
  expect(render('<{{a}}>', { a: '' })).toBe('<>')
  expect(Math.random()).toBeLessThan(0.5)
})
`,
      ),
    ],
    verdict: 'flaky',
    says: ['fills an empty value in'],
    repeats: 10,
    isAside: true,
  },
  {
    name: 'syntax error in the test',
    edits: [keepEmpty, emptyTest, append('test/render.spec.ts', '})\n')],
    verdict: ['not_built', 'broken'],
  },
  {
    name: 'test that is expected to fail',
    edits: [
      ...ignoreCase,
      append(
        'test/address.spec.ts',
        `
test.fails('ignores the case of mailboxes', () => {
  const ada = { name: 'Ada', mailbox: 'ada@example.com' }
  expect(uniqueAddresses([ada, { ...ada, mailbox: 'ADA@example.com' }])).toHaveLength(2)
  throw new Error('not yet')
})
`,
      ),
    ],
    verdict: 'unproved',
    isAside: true,
  },
  {
    name: 'test that mocks what it tests',
    edits: [
      keepEmpty,
      write(
        'test/empty.spec.ts',
        `import { expect, test, vi } from 'vitest'
import { render } from '../src/render.ts'

vi.mock('../src/render.ts', () => ({ render: () => '<>' }))

test('fills an empty value in', () => {
  expect(render('<{{a}}>', { a: '' })).toBe('<>')
})
`,
      ),
    ],
    verdict: 'unproved',
    says: ['fills an empty value in'],
  },
  {
    name: 'snapshot updated with the change',
    edits: [closing, closingSnapshot],
    verdict: ['proved', 'unproved'],
    isAside: true,
  },
  {
    name: 'snapshot not updated',
    edits: [closing],
    verdict: 'broken',
    transitions: { 'writes a letter': 'broken' },
    says: ['writes a letter'],
  },
  {
    name: 'new test whose snapshot is missing',
    edits: [
      keepEmpty,
      append(
        'test/render.spec.ts',
        `
test('fills an empty value in', () => {
  expect(render('<{{a}}>', { a: '' })).toMatchSnapshot()
})
`,
      ),
    ],
    verdict: ['broken', 'unproved', 'flaky'],
    isAside: true,
  },
  {
    name: 'renamed test file',
    edits: [keepEmpty, emptyTest, move('test/address.spec.ts', 'test/mailbox.spec.ts')],
    verdict: 'proved',
  },
  {
    name: 'new module with good tests',
    edits: [
      write(
        'src/batches.ts',
        `/** Divides recipients into batches of at most the size. */
export function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  if (size < 1) throw new RangeError(\`\${size} is no size of a batch\`)
  const batches: Item[][] = []
  for (let at = 0; at < items.length; at += size) batches.push(items.slice(at, at + size))
  return batches
}
`,
      ),
      write(
        'test/batches.spec.ts',
        `import { expect, test } from 'vitest'
import { batchesOf } from '../src/batches.ts'

test('divides', () => {
  expect(batchesOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(batchesOf([1, 2], 2)).toEqual([[1, 2]])
  expect(batchesOf([1, 2], 1)).toEqual([[1], [2]])
  expect(batchesOf([], 2)).toEqual([])
})

test('refuses a size below 1', () => {
  expect(() => batchesOf([1], 0)).toThrow('0 is no size of a batch')
})
`,
      ),
    ],
    verdict: 'proved',
    isAside: true,
  },
]
