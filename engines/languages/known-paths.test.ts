import { expect, test } from 'vitest'
import { KnownPaths } from './known-paths.ts'

test('finds what it knows, and remembers neither long paths nor more than its limit', () => {
  const known = new KnownPaths<string>()
  let searches = 0
  const find = (path: string) => known.find(path, () => `${path} ${(searches += 1)}`)
  expect([find('a'), find('a')]).toEqual(['a 1', 'a 1'])
  const long = 'x'.repeat(301)
  expect(find(long)).not.toBe(find(long))
  for (let index = 0; index < 100_000; index++) find(`${index}`)
  expect(find('a')).toBe('a 1')
  expect(find('0')).toBe(find('0'))
  expect(find('99999')).not.toBe(find('99999'))
})
