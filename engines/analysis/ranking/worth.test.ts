import { expect, test } from 'vitest'
import type { FileTag } from '../../languages/schema.ts'
import { SourceTree } from '../graph/source-tree.ts'
import { isWorthTesting, ProductPlaces } from './worth.ts'

const untested = { importingTests: [], namedTests: [] }

function placeOf(path: string, { tags = [], reach = untested, manifests = {}, others = [] }: Options = {}) {
  const files = [path, ...others].map((each) => ({
    path: each,
    language: 'TypeScript',
    tags: each === path ? tags : [],
  }))
  const places = new ProductPlaces(new SourceTree(files, new Map(Object.entries(manifests))))
  return files[0] && places.of(files[0], reach)
}

interface Options {
  tags?: FileTag[]
  reach?: { importingTests: number[]; namedTests: number[] }
  manifests?: Record<string, string>
  others?: string[]
}

test("the product's own code counts in full", () => {
  for (const path of [
    'src/a.ts',
    'lib/build.ts',
    'src/setup.ts',
    'src/tools/search.ts',
    'app/scripts/run.py',
    'src/main/java/org/samples/Pet.java',
    'main.go',
    'bin/cli.js',
    'src/workbench.ts',
  ]) {
    expect(placeOf(path), path).toBe('product')
  }
})

test('examples, benchmarks, playgrounds, migrations and helper scripts are beside the product', () => {
  for (const path of [
    'examples/a.ts',
    'packages/x/bench/a.ts',
    'packages-private/sfc-playground/src/main.ts',
    'src/parse.bench.ts',
    'benchmark.js',
    'scripts/release.ts',
    'build/compile.js',
    'db/migrations/1.ts',
    'tools/x.go',
    'packages/x/mocks/server.ts',
  ]) {
    expect(placeOf(path), path).toBe('beside')
  }
  expect(placeOf('examples/a.ts', { tags: ['documentation'] })).toBe('beside')
})

test('folders that a manifest offers, or whose files tests import, are the product', () => {
  const cases: [string, string, string][] = [
    ['tools/cli.js', 'package.json', '{ "bin": { "x": "./tools/cli.js" } }'],
    ['tools/deep/a.js', 'package.json', '{ "main": "tools/index.js" }'],
    ['scripts/a.js', 'package.json', '{ "exports": { ".": { "import": "./scripts/a.js" } } }'],
    ['packages/tools/src/a.ts', 'packages/tools/package.json', '{ "module": "src/a.ts" }'],
    ['tools/a/b.py', 'pyproject.toml', '[tool.setuptools]\npackages = ["tools.a"]'],
    ['tools/run.py', 'pyproject.toml', '[tool.poetry]\npackages = [{ include = "tools" }]'],
    ['scripts/run.py', 'pyproject.toml', '[project.scripts]\nx = "scripts.run:main"'],
    ['tools/main.rs', 'Cargo.toml', '[[bin]]\nname = "x"\npath = "tools/main.rs"'],
  ]
  for (const [path, manifest, text] of cases) {
    expect(placeOf(path), path).toBe('beside')
    expect(placeOf(path, { manifests: { [manifest]: text }, others: ['tools/index.js'] }), path).toBe('product')
  }
  expect(placeOf('scripts/a.ts', { reach: { importingTests: [1], namedTests: [] } })).toBe('product')
  expect(placeOf('tools/a.ts', { reach: { importingTests: [], namedTests: [1] } })).toBe('product')
  // Examples have tests of their own, and manifests.
  expect(placeOf('examples/a.ts', { reach: { importingTests: [1], namedTests: [1] } })).toBe('beside')
  expect(placeOf('examples/x/src/a.ts', { manifests: { 'examples/x/package.json': '{ "main": "src/a.ts" }' } })).toBe(
    'beside',
  )
})

test('code that the project does not test itself does not count', () => {
  expect(placeOf('src/a.test.ts', { tags: ['test'] })).toBe('left out')
  expect(placeOf('src/a.ts', { tags: ['generated'] })).toBe('left out')
  expect(placeOf('third_party/a.ts', { tags: ['vendored'] })).toBe('left out')
  expect(placeOf('docs/site.ts', { tags: ['documentation'] })).toBe('left out')
  for (const path of [
    'vite.config.ts',
    '.eslintrc.js',
    '.storybook/main.ts',
    'setup.py',
    'types.d.ts',
    'A.stories.tsx',
  ]) {
    expect(placeOf(path), path).toBe('left out')
  }
})

test('one-liners and classes without code of their own are not worth a test', () => {
  const symbol = { name: 'a', startLine: 1, endLine: 9, exported: true }
  expect(isWorthTesting({ ...symbol, kind: 'function', complexity: 1, statements: 1 })).toBe(false)
  expect(isWorthTesting({ ...symbol, kind: 'function', complexity: 2, statements: 1 })).toBe(true)
  expect(isWorthTesting({ ...symbol, kind: 'function', complexity: 1, statements: 2 })).toBe(true)
  expect(isWorthTesting({ ...symbol, kind: 'method', complexity: 1, statements: 0 })).toBe(false)
  expect(isWorthTesting({ ...symbol, kind: 'class', complexity: 1, statements: 50 })).toBe(false)
  expect(isWorthTesting({ ...symbol, kind: 'class', complexity: 3, statements: 50 })).toBe(true)
  expect(isWorthTesting({ ...symbol, kind: 'function', complexity: 9, statements: 9, test: true })).toBe(false)
})

test('settings beside the sources are beside the product, and those of the repository itself are left out', () => {
  const places = {
    'src/app.config.ts': 'beside',
    'pkg/conf.py': 'beside',
    'packages/a/vite.config.ts': 'beside',
    'vite.config.ts': 'left out',
    'setup.py': 'left out',
    '.storybook/main.ts': 'left out',
    'src/a.stories.tsx': 'left out',
    'src/a.d.ts': 'left out',
  }
  expect(Object.fromEntries(Object.keys(places).map((path) => [path, placeOf(path)]))).toEqual(places)
})
