import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readAll } from './testing.ts'

const report = '<testsuite name="s"><testcase name="grün"/></testsuite>'
const names = async (content: string | Buffer) => (await readAll(content)).cases.map(({ name }) => name)

test.each([
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${report}`)],
  ['UTF-16 with the low byte first', Buffer.from(`\uFEFF<?xml version="1.0" encoding="utf-16"?>${report}`, 'utf16le')],
  ['UTF-16 with the high byte first', Buffer.from(`\uFEFF${report}`, 'utf16le').swap16()],
  ['UTF-16 without a mark', Buffer.from(report, 'utf16le')],
  ['what it declares', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${report}`, 'latin1')],
  ['UTF-8, though it declares UTF-16', Buffer.from(`<?xml version="1.0" encoding="utf-16"?>${report}`)],
])('reads a file in %s', async (_, bytes) => {
  expect(await names(bytes)).toEqual(['grün'])
})

test('bytes that are no text are replaced, and that is told', async () => {
  const { cases, warnings } = await readAll(Buffer.from(report, 'latin1'))
  expect(cases[0]?.name).toBe('gr\uFFFDn')
  expect(warnings).toEqual(['report has characters that are lost: its bytes are no valid utf-8'])
})

test.each([
  ['raw escape codes', '\u001b[31mred\u001b[0m'],
  ['references to escape codes', '&#27;[31mred&#x1b;[0m'],
  ['zeros', 'r\0ed&#0;'],
])('tolerates %s', async (_, text) => {
  const { cases, warnings } = await readAll(
    `<testsuite name="s"><testcase name="t"><failure message="${text}">at ${text}</failure></testcase></testsuite>`,
  )
  expect(cases).toMatchObject([{ message: 'red', stack: 'at red' }])
  expect(warnings).toHaveLength(text.includes('\0') ? 2 : 1)
})

test('reads documents that were written one after the other', async () => {
  const { cases, warnings } = await readAll(
    `<?xml version="1.0" encoding="UTF-8"?>${report}\n<?xml version="1.0"?>${report}`,
  )
  expect(cases).toHaveLength(2)
  expect(warnings.join()).toContain('several documents')
})

const laughs = `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "${'&lol;'.repeat(10)}">]>`

test.each([
  ['entities of its own', `${laughs}<testsuite name="&lol2;"/>`, 'line 1: declares entities'],
  [
    'a file as an entity',
    `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>`,
    'declares entities',
  ],
  [
    'wrong nesting',
    '<testsuite>\n<testcase name="t"></testsuite>',
    'line 2: is no well-formed XML: unexpected close tag',
  ],
  ['a cut end', '<testsuite>\n<testcase name="t"/>\n', 'line 3: ends too early, in <testsuite>'],
  ['an end within a tag', '<testsuite>\n<testcase na', 'line 2: ends too early'],
  ['text after its end', `${report} done`, 'text data outside of root'],
  ['an attribute twice', '<testsuite name="a" name="b"/>', 'duplicate attribute'],
  ['a tag within an attribute', '<testsuite name="a <testcase"/>', 'disallowed character'],
  ['control characters in tags', '<testsuite><test\u001bcase/></testsuite>', 'disallowed character in tag name'],
  ['an unknown encoding', `<?xml version="1.0" encoding="klingon"?>${report}`, 'unknown encoding, klingon'],
  ['endless depth', '<testsuite>'.repeat(300), 'more than 200 deep'],
])('refuses %s', async (_, content, problem) => {
  await expect(readAll(content)).rejects.toThrow(problem)
  await expect(readAll(content)).rejects.toMatchObject({ name: 'ReportError', code: 'malformed', file: 'report' })
})

test('a document type that declares nothing is fine, and entities nobody declared stay as they are', async () => {
  const { cases, warnings } = await readAll(
    '<!DOCTYPE html SYSTEM "http://localhost:1/x.dtd"><testsuite><testcase name="a&nbsp;&constructor;"/></testsuite>',
  )
  expect(cases[0]?.name).toBe('a&nbsp;&constructor;')
  expect(warnings).toHaveLength(1)
})

/** Made while it is read, so that only the reader can hold it. */
function* endless(start: string, times: number, piece: Buffer, end: string) {
  yield Buffer.from(start)
  for (let count = 0; count < times; count += 1) yield piece
  yield Buffer.from(end)
}

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

function heldBytes(): number {
  if (typeof collectGarbage === 'function') collectGarbage()
  return process.memoryUsage().heapUsed
}

test.each([
  ['CDATA', '<![CDATA[', ']]>'],
  ['text', '', ''],
])('output of any length in %s is read past without being held', async (_, before, after) => {
  const piece = Buffer.alloc(2 ** 20, 'all work and no play ')
  let [atStart, atEnd] = [0, 0]
  function* pieces() {
    atStart = heldBytes()
    const start = `<testsuite><testcase name="t"><system-out>${before}`
    yield* endless(start, 40, piece, '')
    atEnd = heldBytes()
    yield Buffer.from(`${after}</system-out><failure message="no"/></testcase></testsuite>`)
  }
  expect((await readAll('<', { pieces })).cases).toMatchObject([{ name: 't', message: 'no' }])
  expect(atEnd - atStart).toBeLessThan(10 * 2 ** 20)
})

test('what has to be held has a limit', async () => {
  const piece = Buffer.alloc(2 ** 20, 'x')
  const pieces = () => endless('<testsuite name="', 40, piece, '"/>')
  await expect(readAll('<', { pieces })).rejects.toMatchObject({ code: 'too_large' })
  await expect(readAll(report, { limits: { maxBytes: 20 } })).rejects.toMatchObject({ code: 'too_large' })
  await expect(
    readAll(`<testsuite>${'<testcase name="t"/>'.repeat(20)}</testsuite>`, { limits: { maxCases: 10 } }),
  ).rejects.toMatchObject({ code: 'too_many_tests' })
})
