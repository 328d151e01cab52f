import { expect, test } from 'vitest'
import { ancestors, joinPath, sharedSegments } from './paths.ts'

test('counts the directories that two paths share', () => {
  expect(sharedSegments('a/b/c', 'a/b/d')).toBe(2)
  expect(sharedSegments('a/b', 'a/b/c')).toBe(2)
  expect(sharedSegments('a/b', 'a/bc')).toBe(1)
  expect(sharedSegments('a', 'b')).toBe(0)
  expect(sharedSegments('a/b', 'a/b')).toBe(2)
  expect(sharedSegments('', 'a')).toBe(0)
})

test('joins paths inside of the repository only', () => {
  expect(joinPath('a/b', './c')).toBe('a/b/c')
  expect(joinPath('a/b', '../c/')).toBe('a/c')
  expect(joinPath('a', '..')).toBe('')
  expect(joinPath('', '.')).toBe('')
  expect(joinPath('a', '../../b')).toBeUndefined()
  expect(joinPath('a', '/b')).toBeUndefined()
  expect(joinPath('a', 'b\0c')).toBeUndefined()
})

test('lists a directory with those around it, the root last', () => {
  expect([...ancestors('a/b')]).toEqual(['a/b', 'a', ''])
  expect([...ancestors('')]).toEqual([''])
})
