import { expect, test } from 'vitest'
import { createPathFinder, type ReportedName } from './paths.ts'

const paths = [
  'index.js',
  'app/src/main/java/com/acme/A.java',
  'lib/src/main/java/com/acme/A.java',
  'app/src/main/java/com/acme/B.java',
  'backend/go.mod',
  'backend/money/money.go',
  'main.go',
  'src/a.ts',
  'packages/web/src/b.ts',
  'node_modules/patched/index.js',
]

test.each<[string, ReportedName]>([
  ['src/a.ts', { names: ['src/a.ts'] }],
  ['src/a.ts', { names: ['./src/../src/a.ts'] }],
  ['src/a.ts', { names: ['src\\a.ts'] }],
  ['src/a.ts', { names: ['/repo/src/a.ts'] }],
  ['src/a.ts', { names: ['file:///repo/src/a.ts'] }],
  ['src/a.ts', { names: ['/home/runner/work/shop/shop/src/a.ts'] }],
  ['src/a.ts', { names: ['C:\\Users\\ci\\shop\\src\\a.ts'] }],
  ['src/a.ts', { names: ['/usr/src/app/src/a.ts'] }],
  ['packages/web/src/b.ts', { names: ['src/b.ts'] }],
  ['packages/web/src/b.ts', { names: ['../web/src/b.ts'] }],
  ['app/src/main/java/com/acme/B.java', { names: ['com/acme/B.java'] }],
  ['app/src/main/java/com/acme/A.java', { names: ['com/acme/A.java'], module: 'app' }],
  ['backend/money/money.go', { names: ['github.com/acme/shop/money/money.go'], afterModuleName: true }],
  ['main.go', { names: ['github.com/acme/shop/main.go'], afterModuleName: true }],
  ['index.js', { names: ['/home/ci/shop/index.js'] }],
  ['node_modules/patched/index.js', { names: ['node_modules/patched/index.js'] }],
  ['src/a.ts', { names: ['/repo/other/a.ts', '/repo/src/a.ts'] }],
])('finds %s', (path, reported) => {
  expect(find(reported)).toEqual({ kind: 'file', path })
})

test.each([
  'src/a.t\0s',
  '\u001b[31msrc/a.ts',
  'node_modules/react/index.js',
  '/repo/node_modules/react/src/a.ts',
  '/usr/lib/python3.12/src/a.ts',
  '/usr/local/include/src/a.ts',
  '/opt/venv/lib/python3/site-packages/src/a.ts',
  'dist/index.js',
  'com/acme/generated/C.java',
  '/etc/passwd',
  '../../etc/passwd',
  '',
  '/',
  '..',
  'src/',
  'webpack://shop/./x.ts',
])('finds no file of the repository for %j', (name) => {
  expect(find({ names: [name] })).toEqual({ kind: 'outside' })
})

test('keeps a name that fits several files as it is', () => {
  expect(find({ names: ['com/acme/A.java'] })).toEqual({ kind: 'ambiguous', path: 'com/acme/A.java' })
  expect(find({ names: ['com/acme/A.java'], module: 'web' })).toMatchObject({ kind: 'ambiguous' })
})

test('keeps names as they are where the paths of the commit are not known', () => {
  const find = createPathFinder({ roots: ['/repo', '/repo/deep'], paths: null })
  expect(find({ names: ['com/acme/A.java'] })).toEqual({ kind: 'file', path: 'com/acme/A.java' })
  expect(find({ names: ['/repo/deep/a.ts'] })).toEqual({ kind: 'file', path: 'a.ts' })
  expect(find({ names: ['/elsewhere/a.ts'] })).toEqual({ kind: 'outside' })
  expect(find({ names: ['../a.ts'] })).toEqual({ kind: 'outside' })
  expect(find({ names: [`${'a/'.repeat(1000)}a.ts`] })).toEqual({ kind: 'outside' })
})

test('knows the folder of a Go module, of one within another too', () => {
  const goModules = [
    { path: 'example.com/shop', folder: 'backend' },
    { path: 'example.com/shop/tools', folder: 'backend/tools' },
    { path: 'example.com/top', folder: '' },
  ]
  const files = ['backend/a.go', 'backend/money/money.go', 'backend/tools/a.go', 'other/money.go', 'b.go', 'web/b.go']
  const inModules = createPathFinder({ roots: [], paths: files, goModules })
  const found = [
    'example.com/shop/a.go',
    'example.com/shop/money/money.go',
    'example.com/shop/tools/a.go',
    'example.com/top/b.go',
  ]
  expect(found.map((name) => inModules({ names: [name], afterModuleName: true }))).toEqual(
    ['backend/a.go', 'backend/money/money.go', 'backend/tools/a.go', 'b.go'].map((path) => ({ kind: 'file', path })),
  )
})

// Looking at each file for each name would take longer than any test may.
test('finds paths fast in a repository of many files of one name', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `packages/p${index}/src/index.ts`)
  const find = createPathFinder({ roots: [], paths: many })
  for (let index = 0; index < 10_000; index++) {
    const found = find({ names: [`/ci/build/p${index}/src/index.ts`] })
    expect(found).toMatchObject({ kind: 'file', path: `packages/p${index}/src/index.ts` })
  }
  for (let index = 0; index < 200; index++)
    expect(find({ names: ['src/index.ts'] })).not.toMatchObject({ kind: 'file' })
})

function find(reported: ReportedName) {
  return createPathFinder({ roots: ['/repo'], paths })(reported)
}
