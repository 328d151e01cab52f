import { expect, test } from 'vitest'
import { letter, render, wrap } from '../src/render.ts'

test('fills names in', () => {
  expect(render('{{a}} and {{b}}', { a: 'x', b: 'y' })).toBe('x and y')
})

test('leaves unknown names', () => {
  expect(render('{{a}} and {{b}}', { a: 'x' })).toBe('x and {{b}}')
})

test('breaks lines at spaces', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrap('one two three', 6)).toEqual(['one', 'two', 'three'])
  expect(wrap('', 6)).toEqual([])
})

test('writes a letter', () => {
  expect(letter('Ada', 'your cups are on their way to you')).toMatchSnapshot()
})
