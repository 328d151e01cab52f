import { expect, test } from 'vitest'
import type { Changes, FileChange } from '../../source/types.ts'
import { changedFiles } from './changed-files.ts'

const changes = (changed: Record<string, FileChange>, added: string[] = [], gone: string[] = []): Changes => ({
  changed: new Map(Object.entries(changed)),
  added: new Set(added),
  gone: new Set(gone),
})

test.for([
  ['src/cart.ts', 'code'],
  ['src/Cart.vue', 'code'],
  ['cart/cart.go', 'code'],
  ['src/app/app.config.ts', 'code'],
  ['scripts/release.sh', 'code'],
  ['test/cart.test.ts', 'test'],
  ['cart/cart_test.go', 'test'],
  ['tests/test_cart.py', 'test'],
  ['tests/conftest.py', 'test_support'],
  ['conftest.py', 'test_support'],
  ['test/fixtures/cart.json', 'test_support'],
  ['src/__snapshots__/cart.test.ts.snap', 'test_support'],
  ['test/helpers/server.ts', 'test_support'],
  ['README.md', 'other'],
  ['docs/guide.md', 'other'],
  ['.github/workflows/ci.yml', 'other'],
  ['package.json', 'other'],
  ['package-lock.json', 'other'],
  ['vitest.config.ts', 'other'],
  ['eslint.config.mjs', 'other'],
  ['setup.py', 'other'],
  ['Dockerfile', 'other'],
  ['Makefile', 'other'],
  ['vendor/lib/x.go', 'other'],
  ['vendor/lib/x_test.go', 'other'],
  ['node_modules/a/index.js', 'other'],
  ['proto/cart.pb.go', 'other'],
  ['logo.png', 'other'],
] as const)('%s is %s', ([path, kind]) => {
  expect(changedFiles(changes({}, [path]))[0]?.kind).toBe(kind)
})

test('takes a file for other whose content says that a tool wrote it', () => {
  expect(changedFiles(changes({}, ['src/api.ts']), new Set(['src/api.ts']))[0]?.kind).toBe('other')
})

test('lists the lines of both sides, sorted by path', () => {
  const hunks = [
    { oldStart: 3, oldLines: 1, newStart: 3, newLines: 2 },
    { oldStart: 9, oldLines: 0, newStart: 11, newLines: 3 },
    { oldStart: 20, oldLines: 2, newStart: 24, newLines: 0 },
  ]
  const found = changedFiles(changes({ 'src/b.ts': { before: 'src/b.ts', hunks } }, ['src/a.ts'], ['src/c.ts']))
  expect(found).toEqual([
    { path: 'src/a.ts', before: null, kind: 'code', change: 'added', lines: [[1, 2 ** 31]] },
    {
      path: 'src/b.ts',
      before: 'src/b.ts',
      kind: 'code',
      change: 'changed',
      lines: [
        [3, 4],
        [11, 13],
      ],
      removed: [
        [3, 3],
        [20, 21],
      ],
    },
    { path: 'src/c.ts', before: 'src/c.ts', kind: 'code', change: 'deleted', lines: [], removed: [[1, 2 ** 31]] },
  ])
})

test('lists a renamed file once, with the file that took its place', () => {
  const moved = { 'src/b.ts': { before: 'src/a.ts', hunks: [] } }
  expect(changedFiles(changes(moved, [], ['src/a.ts']))).toMatchObject([
    { path: 'src/b.ts', before: 'src/a.ts', change: 'changed', lines: [], removed: [] },
  ])
  expect(changedFiles(changes(moved, ['src/a.ts'], ['src/a.ts']))).toMatchObject([
    { path: 'src/a.ts', before: null, change: 'added' },
    { path: 'src/b.ts', before: 'src/a.ts' },
  ])
})

test('takes a file that became another type for changed', () => {
  expect(changedFiles(changes({}, ['src/a.ts'], ['src/a.ts']))).toMatchObject([
    { path: 'src/a.ts', before: 'src/a.ts', change: 'changed', removed: [[1, 2 ** 31]] },
  ])
})

test('finds nothing in no changes', () => {
  expect(changedFiles(changes({}))).toEqual([])
})
