import { expect, test } from 'vitest'
import type { CarriedFile } from './carry-over.ts'
import { unlistedFiles } from './unlisted.ts'

const ran: CarriedFile = { covered: [[1, 3]], uncovered: [], partialBranches: null, changed: [] }
const nothing = { changed: new Map(), gone: new Set<string>(), added: new Set<string>() }

function unlisted(paths: readonly string[], { listed = ['src/a.js'], changes = nothing } = {}) {
  const files = new Map(listed.map((path) => [path, ran]))
  return [...unlistedFiles(files, ['package.json', ...listed, ...paths], changes).keys()]
}

test('takes files that a whole run does not list for files that no test runs', () => {
  expect(unlisted(['src/b.js', 'src/deep/c.js'])).toEqual(['src/b.js', 'src/deep/c.js'])
  const [entry] = unlistedFiles(new Map([['a.js', ran]]), ['a.js', 'b.js'], nothing).values()
  expect(entry).toMatchObject({ covered: [], uncovered: [[1, expect.any(Number)]] })
})

test.for([
  ['another language', 'src/b.py'],
  ['a folder of which nothing was measured', 'lib/deep/c.js'],
  ['another package', 'packages/other/src/b.js', 'packages/other/package.json'],
  [
    'tests and helpers, which some tools leave out',
    'test/helper.js',
    'src/test-runner.js',
    'src/b.spec.js',
    'coverage/x.js',
  ],
  ['a file of others', 'node_modules/x/index.js'],
] as const)('knows nothing of %s', ([, ...paths]) => expect(unlisted(paths)).toEqual([]))

test('knows nothing where only tests were measured, as settings may have it', () => {
  expect(unlisted(['src/b.py', 'b.py'], { listed: ['tests/test_b.py', 'conftest.py'] })).toEqual([])
})

test('knows nothing of files that were added or changed since', () => {
  const changes = {
    ...nothing,
    added: new Set(['src/new.js']),
    changed: new Map([['src/edited.js', { before: 'src/edited.js', hunks: [] }]]),
  }
  expect(unlisted(['src/new.js', 'src/edited.js', 'src/old.js'], { changes })).toEqual(['src/old.js'])
})
