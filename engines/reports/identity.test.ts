import { expect, test } from 'vitest'
import { testIdentities } from './identity.ts'

const at = (name: string, file: string | null = null, suite = 's') => ({ suite, name, file })

test('the same test has the same key with a file and without', () => {
  const key = testIdentities().keyOf(at('t'))
  expect(testIdentities().keyOf(at('t', 'a.ts'))).toBe(key)
  expect(key).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
  expect(testIdentities().keyOf(at('t', null, 'other'))).not.toBe(key)
})

test('distinguishes titles that end at different places', () => {
  const { keyOf } = testIdentities()
  expect(keyOf({ suite: 'a b', name: 'c', file: null })).not.toBe(keyOf({ suite: 'a', name: 'b c', file: null }))
})

test('distinguishes tests of one name by their order', () => {
  const keys = () => {
    const { keyOf } = testIdentities()
    return [keyOf(at('t', 'a.ts')), keyOf(at('t', 'a.ts')), keyOf(at('t')), keyOf(at('u'))]
  }
  expect(new Set(keys()).size).toBe(4)
  expect(keys()).toEqual(keys())
})

test('tests of one name in several files keep their keys in whatever order the files come', () => {
  const keys = (files: string[]) => {
    const { keyOf, corrections } = testIdentities()
    const first = files.map((file) => [file, keyOf(at('t', file))] as const)
    const replaced = corrections()
    return new Map(first.map(([file, key]) => [file, replaced.get(key) ?? key]))
  }
  const one = keys(['a.ts', 'b.ts', 'c.ts'])
  const other = keys(['c.ts', 'a.ts', 'b.ts'])
  expect(new Set(one.values()).size).toBe(3)
  for (const [file, key] of one) expect(other.get(file)).toBe(key)
})

// If the time grew with the square of the tests, this one would time out.
test('makes keys for a hundred thousand tests', () => {
  const { keyOf } = testIdentities()
  const keys = new Set(
    Array.from({ length: 100_000 }, (_, index) => keyOf(at(`test ${index}`, `src/${index % 500}.ts`))),
  )
  expect(keys.size).toBe(100_000)
})
