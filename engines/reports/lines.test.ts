import fc from 'fast-check'
import { expect, test } from 'vitest'
import { all } from './json/testing.ts'
import { readLines } from './lines.ts'
import { reportLimits } from './report.ts'

test.each([
  ['UTF-8', Buffer.from('größe\n✓ ok')],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffgröße\n✓ ok')],
  ['UTF-16LE with a byte order mark', Buffer.from('\ufeffgröße\n✓ ok', 'utf16le')],
  ['UTF-16LE without one', Buffer.from('größe\n✓ ok', 'utf16le')],
  ['UTF-16BE', Buffer.from('\ufeffgröße\n✓ ok', 'utf16le').swap16()],
])('reads %s, in pieces of any size', async (_, bytes) => {
  for (const size of [1, 2, 3, 7, 1_000]) {
    expect((await linesOf(bytes, size)).map(({ text }) => text)).toEqual(['größe', '✓ ok'])
  }
})

test('finds the same lines in pieces of any size', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\r') })
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (content, size) => {
      fc.pre(content !== '')
      const found = await linesOf(Buffer.from(content), size)
      const ends = content.split('\n')
      if (ends.at(-1) === '') ends.pop()
      expect(found.map((line) => line.text)).toEqual(ends.map((line) => line.replace(/\r$/, '')))
      expect(found.map((line) => line.number)).toEqual(ends.map((_, index) => index + 1))
    }),
  )
})

test('keeps the start of a line that is too long, and goes on after it', async () => {
  const bytes = Buffer.from(`${'x'.repeat(500_000)}\nshort\n${'y'.repeat(101)}`)
  expect(await linesOf(bytes, 1_000, 100)).toEqual([
    { text: 'x'.repeat(100), number: 1, cut: true, ended: true },
    { text: 'short', number: 2, cut: false, ended: true },
    { text: 'y'.repeat(100), number: 3, cut: true, ended: false },
  ])
})

test('refuses what is empty or too large', async () => {
  await expect(linesOf(Buffer.alloc(0), 10)).rejects.toMatchObject({ code: 'empty' })
  const limits = { ...reportLimits, maxBytes: 10 }
  const bytes = (async function* () {
    for (;;) yield Buffer.from('more\n')
  })()
  const read = all(readLines({ name: 'endless', bytes }, limits, 100))
  await expect(read).rejects.toMatchObject({ code: 'too_large', message: 'endless: the file has more than 10 bytes' })
})

async function linesOf(bytes: Buffer, size: number, maxLength = 1_000) {
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  return (await all(readLines({ name: 'text', bytes: pieces() }, reportLimits, maxLength))).flat()
}
