import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formField } from './form-field.ts'

const fieldOf = async (text: string) => (await formField(Buffer.from(text), 'payload')).toString()

test('finds a field as URLSearchParams does', async () => {
  const part = fc.constantFrom('payload', 'pa%79load', 'x', '=', '=', '&', '+', '%', '%41', '%c3%a9', '%4', ' ')
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const text = parts.join('')
      expect([text, await fieldOf(text)]).toEqual([text, new URLSearchParams(text).get('payload') ?? ''])
    }),
    { numRuns: 2_000, seed: 16 },
  )
})

test('decodes a large value', async () => {
  const value = '{"a": "é%+&="}'.repeat(50_000)
  expect(await fieldOf(`x=1&${new URLSearchParams({ payload: value }).toString()}&y=2`)).toBe(value)
})

test('refuses a form of millions of fields', async () => {
  await expect(fieldOf('&'.repeat(5_000_000))).rejects.toThrow('more than 1000 fields')
})
