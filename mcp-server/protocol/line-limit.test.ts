import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { guessRequestId, limitLines, type LongLine } from './line-limit.ts'

async function pass(text: string, chunkBytes: number): Promise<{ kept: string; long: LongLine[] }> {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  )
  const long: LongLine[] = []
  const lines = limitLines(1_000, (line) => long.push(line))
  const kept = await buffer(Readable.from(chunks).pipe(lines))
  return { kept: kept.toString(), long }
}

test.each([1, 7, 999, 1_000, 1_001, 100_000])(
  'lines up to the limit come through whole and longer ones do not, in chunks of %i bytes',
  async (chunkBytes) => {
    const fitting = `${'ä'.repeat(499)}\n`
    const tooLong = `start ${'x'.repeat(5_000)} end\n`
    const { kept, long } = await pass(`one\n${tooLong}${fitting}\n${tooLong}two\n`, chunkBytes)
    expect(kept).toBe(`one\n${fitting}\ntwo\n`)
    expect(long).toHaveLength(2)
    for (const { start, end } of long) {
      expect(start).toMatch(/^start x{250}$/)
      expect(end).toMatch(/^x{251} end\n$/)
    }
  },
)

test('finds the id of a request at the edges of a long line, and not inside it', () => {
  const guess = (request: unknown) => {
    const line = JSON.stringify(request)
    return guessRequestId({ start: line.slice(0, 60), end: line.slice(-60) })
  }
  const params = { name: 'x'.repeat(200) }
  expect(guess({ jsonrpc: '2.0', id: 7, method: 'a', params })).toBe(7)
  expect(guess({ method: 'a', params, jsonrpc: '2.0', id: 'seven' })).toBe('seven')
  expect(guess({ method: 'a', params, id: 7, jsonrpc: '2.0' })).toBe(7)
  expect(guess({ method: 'a', params: { ...params, id: 7 }, jsonrpc: '2.0' })).toBeUndefined()
  expect(guess({ jsonrpc: '2.0', method: 'a', params })).toBeUndefined()
})
