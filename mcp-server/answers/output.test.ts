import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultBudgetTokens, estimateTokens, type Form, hardCapBytes, type Page, pageOf, write } from './output.ts'

interface Facts extends Page {
  [name: string]: unknown
  names: string[]
}

const form: Form<Facts> = {}

function listing(names: string[], offset = 0, limit = names.length): Facts {
  const { items, page } = pageOf(names, offset, limit)
  return { names: items, ...page }
}

const wireBytes = (facts: Facts, asked: boolean) => {
  const { text, structured } = write(facts, form, asked)
  return Buffer.byteLength(JSON.stringify({ content: [{ type: 'text', text }], structuredContent: structured }))
}

test('does not change a small answer', () => {
  const { text, structured } = write(listing(['one', 'two']), form, false)
  expect(structured).toEqual({ names: ['one', 'two'], total: 2, offset: 0 })
  expect(text).toBe('names (2 of 2): one, two')
})

test('an answer without a given limit keeps to the default budget and says how to continue', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `some/path/in/the/repository/file-${index}.ts`)
  const { text, structured } = write(listing(names), form, false)
  expect(estimateTokens(JSON.stringify(structured))).toBeLessThanOrEqual(defaultBudgetTokens)
  const shown = structured['names'] as string[]
  expect(shown.length).toBeGreaterThan(50)
  expect(structured).toMatchObject({ total: 2_000, offset: 0, nextOffset: shown.length })
  expect(text).toContain(`Only ${shown.length} of the 2000 requested items`)
  expect(text).toContain(`offset ${shown.length}`)
})

test('no answer exceeds the hard cap, and following the offsets shows every item once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 2_000 }), { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      (texts, asked) => {
        const names = texts.map((text, index) => `${index} ${text}`)
        const seen: string[] = []
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const facts = listing(names, offset, 50)
          expect(wireBytes(facts, asked)).toBeLessThanOrEqual(hardCapBytes)
          const { structured } = write(facts, form, asked)
          seen.push(...(structured['names'] as string[]))
          offset = structured['nextOffset'] as number | undefined
        }
        expect(seen.map((name) => name.split(' ')[0])).toEqual(names.map((_, index) => String(index)))
      },
    ),
    { numRuns: 50 },
  )
})

test('a field without a limit is a defect, and its answer is not sent', () => {
  expect(() => write(listing(['x'.repeat(30_000)]), form, true)).toThrow('over the hard cap')
})

test('a page beyond the end is empty and has no next page', () => {
  expect(pageOf(['a', 'b'], 5, 10)).toEqual({ items: [], page: { total: 2, offset: 5 } })
})
