import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createRunFor } from '../../testing/factories.ts'
import { readLogExcerpt } from './excerpt.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

/** The excerpt of a log that is stored in pieces of so many lines. */
async function excerptOf(lines: string[], each: number) {
  const { id } = await createRunFor(app)
  const starts = Array.from({ length: Math.ceil(lines.length / each) }, (_, index) => index * each)
  const pieces = starts.map((start) => lines.slice(start, start + each))
  await app.dataSource.query(`INSERT INTO test_run_log SELECT $1, * FROM unnest($2::int[], $3::int[], $4::text[])`, [
    id,
    starts,
    pieces.map(({ length }) => length),
    pieces.map((piece) => piece.join('\n')),
  ])
  return readLogExcerpt(app.dataSource.manager, id)
}

test('returns a log of up to 15.9 kB completely', async () => {
  const line = 'x'.repeat(52)
  expect(await excerptOf([], 1)).toBe('')
  for (const each of [1, 7, 1_000]) {
    const lines = Array.from({ length: 300 }, () => line)
    expect(await excerptOf(lines, each)).toBe(lines.map((text) => `${text}\n`).join(''))
  }
})

test.each([1, 10, 100_000])(
  'returns whole lines of both ends of a longer log, stored in pieces of %i lines',
  async (each) => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `${index}: größer als gedacht`)
    const excerpt = await excerptOf(lines, each)
    expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(16_000)
    const shown = excerpt.trimEnd().split('\n')
    const at = shown.findIndex((line) => line.startsWith('#'))
    expect(shown.slice(0, at)).toEqual(lines.slice(0, at))
    expect(shown.slice(at + 1)).toEqual(lines.slice(at + 1 - shown.length))
    const leftOut = lines.slice(at, at + 1 - shown.length).map((line) => `${line}\n`)
    expect(shown[at]).toBe(
      `# ${Buffer.byteLength(leftOut.join(''))} bytes are omitted here. testRuns.log returns them.`,
    )
  },
)

test('returns the end of a line that is longer than the excerpt', async () => {
  const excerpt = await excerptOf(['short', '€'.repeat(10_000)], 1)
  expect(excerpt).toMatch(/^short\n# \d+ bytes are omitted here. testRuns.log returns them.\n€{3900,}\n$/)
})
