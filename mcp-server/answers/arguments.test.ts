import { expect, test } from 'vitest'
import { z } from 'zod'
import { page } from '../../core/base/input-fields/schema.ts'
import { parseArguments } from './arguments.ts'

const schema = z.object({
  name: z.string().min(2).optional(),
  limit: page.limit.unwrap().optional(),
  deep: z.boolean().optional(),
  ids: z.array(z.string()).optional(),
})

test.each([
  ['a number', { limit: '10' }, { limit: 10 }],
  ['a number with spaces', { limit: ' 7 ' }, { limit: 7 }],
  ['a boolean', { deep: 'true' }, { deep: true }],
  ["a boolean in Python's spelling", { deep: 'False' }, { deep: false }],
  ['a list', { ids: '["a","b"]' }, { ids: ['a', 'b'] }],
])('%s may arrive as a string', (_what, given, meant) => {
  expect(parseArguments(schema, given)).toEqual({ input: meant })
})

test('a string that looks like a number stays a string where the field is a string', () => {
  expect(parseArguments(schema, { name: '10' })).toEqual({ input: { name: '10' } })
})

test('null and the empty string count as absent', () => {
  expect(parseArguments(schema, { name: '', limit: null })).toEqual({ input: {} })
  expect(parseArguments(schema, undefined)).toEqual({ input: {} })
})

test('names all problems at once, with the valid arguments', () => {
  const { problem } = parseArguments(schema, { limit: '1000', deep: 'perhaps' })
  expect(problem).toContain('limit: must be at most 100')
  expect(problem).toContain('deep: must be true or false')
  expect(problem).toContain('the arguments are name, limit, deep, ids')
})

test('refuses an unknown argument instead of ignoring it', () => {
  expect(parseArguments(schema, { userEmail: 'a@b.c' }).problem).toBe(
    'unknown argument userEmail; the arguments are name, limit, deep, ids',
  )
})

test('cleans and shortens the name of an unknown argument in the message', () => {
  const { problem } = parseArguments(z.object({}), { [`a\u202e${'b'.repeat(100)}`]: 1 })
  expect(problem).toBe(`unknown argument a${'b'.repeat(36)}…; this tool takes none`)
})

test('messages do not repeat values, which may be secrets', () => {
  expect(parseArguments(schema, { limit: 'svc_v1_secret' }).problem).not.toContain('secret')
})

test('refuses arguments that are not an object', () => {
  expect(parseArguments(schema, ['name']).problem).toContain('arguments must be an object')
})

test('inherited property names are unknown arguments too', () => {
  expect(parseArguments(schema, { constructor: 1 }).problem).toContain('unknown argument constructor')
  expect(parseArguments(schema, JSON.parse('{"__proto__": 1}')).problem).toContain('unknown argument __proto__')
})
