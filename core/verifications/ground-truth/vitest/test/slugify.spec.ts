import { expect, test } from 'vitest'
import { slugify } from '../src/slugify.ts'

test.each([
  ['Hello World', 'hello-world'],
  ['Crème brûlée', 'creme-brulee'],
  ['a  --  b', 'a-b'],
  ['!important!', 'important'],
  ['100 % sure', '100-sure'],
  ['…', ''],
])('%s becomes %s', (title, slug) => {
  expect(slugify(title)).toBe(slug)
})

test('a long title is cut, and not at a hyphen', () => {
  expect(slugify('one two three', 8)).toBe('one-two')
  expect(slugify('one two three', 7)).toBe('one-two')
  expect(slugify('x'.repeat(50))).toHaveLength(40)
})
