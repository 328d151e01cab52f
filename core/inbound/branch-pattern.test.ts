import { expect, test } from 'vitest'
import { matchesBranch } from './branch-pattern.ts'

test('one star matches text within a segment, two stars also across slashes', () => {
  const cases: [string, string, boolean][] = [
    ['main', 'main', true],
    ['main', 'maint', false],
    ['*', 'main', true],
    ['*', 'a/b', false],
    ['**', 'a/b/c', true],
    ['release/*', 'release/1.0', true],
    ['release/*', 'release/1/0', false],
    ['release/**', 'release/1/0', true],
    ['**/fix', 'a/b/fix', true],
    ['v?', 'v1', true],
    ['v?', 'v', false],
    ['?', '/', false],
    ['*-*', 'a-b-c', true],
    ['a.c', 'abc', false],
    ['[a]', 'a', false],
    ['äö*', 'äöü', true],
    ['?', '😀', true],
    ['', 'a', false],
  ]
  for (const [pattern, branch, expected] of cases)
    expect([pattern, branch, matchesBranch(pattern, branch)]).toEqual([pattern, branch, expected])
})

test('no pattern takes long to match', () => {
  const startedAt = performance.now()
  for (const part of ['*a', '**a', '*?', '***'])
    expect(matchesBranch(`${part.repeat(160)}b`, 'a'.repeat(255))).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
