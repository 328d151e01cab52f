import { expect, test, vi } from 'vitest'
import { slugify } from '../src/slugify.ts'

vi.mock('../src/slugify.ts', () => ({ slugify: vi.fn(() => 'hello-world') }))

test('makes a slug', () => {
  expect(slugify('Hello World')).toBe('hello-world')
  expect(slugify).toHaveBeenCalledWith('Hello World')
})
