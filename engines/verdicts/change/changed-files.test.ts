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
  ['src/readme.js', 'code'],
  ['docs/conf.py', 'other'],
  ['docs/guide.md', 'other'],
  ['.github/workflows/ci.yml', 'other'],
  ['package.json', 'other'],
  ['package-lock.json', 'other'],
  ['vitest.config.ts', 'other'],
  ['eslint.config.mjs', 'other'],
  ['setup.py', 'other'],
  ['Dockerfile', 'other'],
  ['Makefile', 'other'],
  ['vendor/lib/x.go', 'code'],
  ['vendor/lib/x_test.go', 'other'],
  ['node_modules/a/index.js', 'other'],
  ['proto/cart.pb.go', 'other'],
  ['.yarn/releases/yarn-4.cjs', 'other'],
  ['gradlew', 'other'],
  ['dist/cart.js', 'other'],
  ['logo.png', 'other'],
] as const)('%s is %s', ([path, kind]) => {
  expect(changedFiles(changes({}, [path]))[0]?.kind).toBe(kind)
})

test('third-party code that is edited by hand is code, and that of another version is not', () => {
  const kinds = (...paths: string[]) =>
    changedFiles(changes({}, paths)).map(({ kind, isVendored = false }) => `${kind} ${isVendored}`)
  expect(kinds('vendor/lib/x.js', 'src/a.js')).toEqual(['code false', 'code true'])
  expect(kinds('vendor/lib/package.json', 'vendor/lib/x.js')).toEqual(['other false', 'other true'])
  expect(new Set(kinds(...'abcdef'.split('').map((name) => `vendor/lib/${name}.js`)))).toEqual(new Set(['other true']))
  expect(changedFiles(changes({}, [], ['vendor/lib/x.js']))[0]?.kind).toBe('other')
})

test('knows code among files that tests are not run against', () => {
  const holdsCode = (path: string) => changedFiles(changes({}, [path]))[0]?.holdsCode ?? false
  expect(['vitest.config.ts', 'dist/cart.js', 'proto/cart.pb.go', 'vendor/x_test.go'].map(holdsCode)).not.toContain(
    false,
  )
  expect(['package.json', 'data/rates.json', 'Dockerfile', 'docs/a.md', 'logo.png'].map(holdsCode)).not.toContain(true)
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
      hunks,
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
