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

test('replaces bytes that are not valid in the encoding, and warns', async () => {
  const { cases, warnings } = await readAll(Buffer.from(report, 'latin1'))
  expect(cases[0]?.name).toBe('gr\uFFFDn')
  expect(warnings).toEqual(['report: characters are lost, because its bytes are not valid utf-8'])
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
  ['entities of its own', `${laughs}<testsuite name="&lol2;"/>`, 'line 1: the document type declares entities'],
  [
    'a file as an entity',
    `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>`,
    'declares entities',
  ],
  [
    'wrong nesting',
    '<testsuite>\n<testcase name="t"></testsuite>',
    'line 2: not well-formed XML: unexpected close tag',
  ],
  ['a cut end', '<testsuite>\n<testcase name="t"/>\n', 'line 3: the file ends too early, in <testsuite>'],
  ['an end within a tag', '<testsuite>\n<testcase na', 'line 2: the file ends too early'],
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

test('accepts a document type without declarations, and keeps undeclared entities as they are', async () => {
  const { cases, warnings } = await readAll(
    '<!DOCTYPE html SYSTEM "http://localhost:1/x.dtd"><testsuite><testcase name="a&nbsp;&constructor;"/></testsuite>',
  )
  expect(cases[0]?.name).toBe('a&nbsp;&constructor;')
  expect(warnings).toHaveLength(1)
})

/** Makes the bytes while they are read, so that only the reader can hold them. */
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
])('reads past output of any length in %s without holding it', async (_, before, after) => {
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

test.each([
  ['an attribute that looks like the end of a tag, in output', '<testsuite><testcase name="t"><system-out><x a=">'],
  ['a comment that looks like CDATA', '<testsuite><testcase name="t"><system-out><!-- <![CDATA['],
  ['a reference to an entity in output', '<testsuite><testcase name="t"><system-out>a;b &'],
])('refuses %s without an end', async (_, start) => {
  const pieces = () => endless(start, 40, Buffer.alloc(2 ** 20, 'x'), '')
  await expect(readAll('<', { pieces })).rejects.toMatchObject({ code: 'too_large' })
})

test('reads the same however pieces part CDATA and references', async () => {
  const output = `${'[]]'.repeat(500)}\u{1F600}\r\n<b>&amp;</b>`.repeat(700)
  const content = `<testsuite><testcase name="a"><system-out>${'&lt;\n'.repeat(3)}<![CDATA[${output}]]>x<!-- y --></system-out>
    <failure message="&lt;1&gt;"><![CDATA[at <a>]]></failure></testcase><testcase name="b"/></testsuite>`
  const bytes = Buffer.from(content)
  expect(bytes.length).toBeGreaterThan(2 ** 20)
  for (const size of [4_096, 65_536, 100_003, bytes.length]) {
    function* pieces() {
      for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
    }
    const { cases, warnings } = await readAll('<', { pieces })
    expect(cases).toMatchObject([{ name: 'a', message: '<1>', stack: 'at <a>' }, { name: 'b' }])
    expect(warnings).toEqual([])
  }
})

test('gives the right line of an error after output that it does not keep', async () => {
  const lines = `${'x'.repeat(99)}\n`.repeat(30_000)
  const content = `<testsuite><testcase name="a"><system-out><![CDATA[${lines}]]></system-out></testsuite>`
  await expect(readAll(content)).rejects.toMatchObject({ line: 30_001 })
})

test('stops at its limits', async () => {
  await expect(readAll(report, { limits: { maxBytes: 20 } })).rejects.toMatchObject({ code: 'too_large' })
  await expect(
    readAll(`<testsuite>${'<testcase name="t"/>'.repeat(20)}</testsuite>`, { limits: { maxCases: 10 } }),
  ).rejects.toMatchObject({ code: 'too_many_tests' })
})
