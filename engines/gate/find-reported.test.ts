import { expect, test } from 'vitest'
import { findReported, suggestPrefix } from './find-reported.ts'

const file = (path: string, namesakes: string[] = []) => ({ path, namesakes })
const found = (...given: Parameters<typeof findReported>) =>
  Object.fromEntries([...findReported(...given)].map(([path, { name, by }]) => [path, `${name} by ${by}`]))

test('a report names files by their paths', () => {
  expect(found([file('src/a.ts'), file('src/b.ts')], ['src/a.ts', 'src/c.ts'])).toEqual({
    'src/a.ts': 'src/a.ts by path',
  })
})

test('a report from a folder of the repository, or from above it, is found by the end of its paths', () => {
  expect(found([file('packages/shop/src/a.ts')], ['src/a.ts'])).toEqual({
    'packages/shop/src/a.ts': 'src/a.ts by suffix',
  })
  expect(found([file('src/a.ts')], ['build/app/src/a.ts'])).toEqual({ 'src/a.ts': 'build/app/src/a.ts by suffix' })
})

test('a name that may mean another file is not taken', () => {
  const twins = [file('shop/src/a.ts', ['cart/src/a.ts'])]
  expect(found(twins, ['src/a.ts'])).toEqual({})
  expect(found(twins, ['cart/src/a.ts'])).toEqual({})
  expect(found([file('src/a.ts')], ['one/src/a.ts', 'two/src/a.ts'])).toEqual({})
  expect(found([file('src/a.ts')], ['lib/a.ts'])).toEqual({})
})

test('a prefix of the project counts before names that fit by chance', () => {
  const prefixes = [{ report: 'build/lib/', repository: 'packages/shop/src/' }]
  expect(found([file('packages/shop/src/a.py')], ['build/lib/a.py'], prefixes)).toEqual({
    'packages/shop/src/a.py': 'build/lib/a.py by prefix',
  })
  expect(found([file('src/a.ts')], ['src/a.ts', 'x/a.ts'], [{ report: 'x/', repository: 'src/' }])).toEqual({
    'src/a.ts': 'src/a.ts by path',
  })
})

test('a prefix is suggested from the longest common end', () => {
  expect(suggestPrefix('packages/shop/src/cart/a.py', ['build/lib/cart/a.py', 'other/a.py'])).toEqual({
    report: 'build/lib/',
    repository: 'packages/shop/src/',
  })
  expect(suggestPrefix('a.py', ['b.py'])).toBeNull()
})
