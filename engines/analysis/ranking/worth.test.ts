import { expect, test } from 'vitest'
import type { FileTag } from '../../languages/schema.ts'
import { fileWeight, isWorthTesting } from './worth.ts'

const weightOf = (path: string, ...tags: FileTag[]) => fileWeight({ path, language: 'TypeScript', tags })

test("the product's own code counts in full", () => {
  for (const path of [
    'src/a.ts',
    'lib/build.ts',
    'src/setup.ts',
    'src/tools/search.ts',
    'app/scripts/run.py',
    'src/main/java/org/samples/Pet.java',
    'main.go',
  ]) {
    expect(weightOf(path), path).toBe(1)
  }
})

test('examples, benchmarks, migrations and helper scripts count less', () => {
  for (const path of [
    'examples/a.ts',
    'packages/x/bench/a.ts',
    'scripts/release.ts',
    'db/migrations/1.ts',
    'tools/x.go',
  ]) {
    expect(weightOf(path), path).toBe(0.25)
  }
  expect(weightOf('examples/a.ts', 'documentation')).toBe(0.25)
})

test('code that the project does not test itself does not count', () => {
  expect(weightOf('src/a.test.ts', 'test')).toBe(0)
  expect(weightOf('src/a.ts', 'generated')).toBe(0)
  expect(weightOf('third_party/a.ts', 'vendored')).toBe(0)
  expect(weightOf('docs/site.ts', 'documentation')).toBe(0)
  for (const path of [
    'vite.config.ts',
    '.eslintrc.js',
    '.storybook/main.ts',
    'setup.py',
    'types.d.ts',
    'A.stories.tsx',
  ]) {
    expect(weightOf(path), path).toBe(0)
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
