import { matchesGlob } from 'node:path/posix'
import { expect, test } from 'vitest'
import { globMatcher } from './glob.ts'

const patterns = [
  '*.xml',
  '**/*.xml',
  '**/junit*.xml',
  'reports/**',
  'reports/**/*.xml',
  '**/test-results/**',
  'a/*/c.xml',
  'a/**/c.xml',
  '{a,b}/*.xml',
  '{reports,out}/{x,y}.{xml,json}',
  'x?.xml',
  '[ab].xml',
  '[!ab].xml',
  'x[0-9].xml',
  '**',
  'a',
  'packages/*',
]
const paths = [
  'a.xml',
  'c.xml',
  'x1.xml',
  'junit.xml',
  'ajunit.xml',
  'a/b/c.xml',
  'a/c.xml',
  'a/b/d/c.xml',
  'b/junit-1.xml',
  'deep/er/junit.xml',
  'reports/x.xml',
  'reports/x/y.json',
  'out/y.json',
  'test-results/shot.png',
  'web/test-results/a/shot.png',
  'packages/one',
  'packages/one/two',
  'a',
]

test.each(patterns)('%s matches what it matches elsewhere', (pattern) => {
  const found = paths.filter(globMatcher(pattern))
  expect(found).toEqual(paths.filter((path) => matchesGlob(path, pattern)))
})

test('a backslash takes the next character as it is, and what does not close is text', () => {
  expect(globMatcher('a\\*.xml')('a*.xml')).toBe(true)
  expect(globMatcher('a\\*.xml')('ab.xml')).toBe(false)
  expect(globMatcher('a[b.xml')('a[b.xml')).toBe(true)
  expect(globMatcher('{a,b.xml')('{a,b.xml')).toBe(true)
})

test('nothing stands outside of where it is looked for', () => {
  expect(globMatcher('../*')('a')).toBe(false)
  expect(globMatcher('')('a')).toBe(false)
})

test('knows what it has seen, and forgets it where a pattern has too many states', () => {
  const paths = Array.from({ length: 300 }, (_, index) => `${index.toString(2).padStart(12, '0').repeat(8)}x`)
  const zero = `*0${'?'.repeat(30)}x`
  const matches = globMatcher(zero)
  const found = [...paths, ...paths].map((path) => matches(path))
  expect(found).toEqual([...paths, ...paths].map((path) => matchesGlob(path, zero)))
  expect(new Set(found).size).toBe(2)
})

test('matches hostile patterns fast', () => {
  for (const pattern of [
    '*a'.repeat(200),
    '**/'.repeat(150),
    '{a,b}'.repeat(60),
    '[a-z]*'.repeat(80),
    '*'.repeat(500),
  ]) {
    const matches = globMatcher(`${pattern}b`)
    expect([matches('a'.repeat(1_000)), matches('a/'.repeat(500))]).toEqual([false, false])
  }
})
