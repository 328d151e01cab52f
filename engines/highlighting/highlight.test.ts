import { afterAll, expect, test } from 'vitest'
import { ProcessPool } from '../processes/pool.ts'
import { highlightApart, type TextLines } from './highlight.ts'
import type { Token } from './lines.ts'

const pool = new ProcessPool({ size: 2, timeoutMs: 60_000 })
afterAll(() => pool[Symbol.asyncDispose]())

const highlight = (path: string, content: string | Buffer, limits = {}) =>
  highlightApart(pool.runnerFor('test'), { path, content: Buffer.from(content) }, limits)

async function textOf(path: string, content: string | Buffer, limits = {}) {
  const file = await highlight(path, content, limits)
  if (file.kind !== 'text') throw new Error(`The file is ${file.kind}.`)
  return { ...file, lines: linesOf(file) }
}

const linesOf = ({ pages }: TextLines) => pages.flatMap((page) => JSON.parse(page) as Token[][])
const plain = (lines: Token[][]) => lines.map((line) => line.map(([text]) => text).join(''))

test('splits code into lines of tokens with their kinds', async () => {
  const file = await textOf('a.ts', 'const a = `x${1}`\r\n\n/* two\nlines */')
  expect(file).toMatchObject({ language: 'TypeScript', isHighlighted: true, totalLines: 4, cutLines: [] })
  expect(file.lines).toEqual([
    [
      ['const', 'keyword'],
      [' a = ', null],
      ['`x', 'string'],
      ['${', 'subst'],
      ['1', 'number'],
      ['}', 'subst'],
      ['`', 'string'],
    ],
    [],
    [['/* two', 'comment']],
    [['lines */', 'comment']],
  ])
})

test.each([
  ['a.py', 'def f():\n  return 1\n', 'Python', 'keyword'],
  ['a.go', 'package a\n', 'Go', 'keyword'],
  ['a.vue', '<template><b>x</b></template>\n', 'Vue', 'tag'],
  ['Dockerfile', 'FROM node\n', 'Dockerfile', 'keyword'],
  ['a.sh', 'echo "x"\n', 'Shell', 'built_in'],
  ['a.hs', 'module A where\n', 'Haskell', 'keyword'],
])('highlights %s', async (path, text, language, kind) => {
  const file = await textOf(path, text)
  expect(file.language).toBe(language)
  expect(file.lines.flat().map(([, of]) => of)).toContain(kind)
  expect(plain(file.lines).join('\n')).toBe(text.trimEnd())
})

test('control characters, bidi marks and broken bytes stay text', async () => {
  const hostile = Buffer.concat([Buffer.from('// \u202e \u001b[31m <script> \u2028 \r x'), Buffer.from([0xff, 0x80])])
  const file = await textOf('a.js', hostile)
  expect(plain(file.lines)).toEqual(['// \u202e \u001b[31m <script> \u2028 \r x\ufffd\ufffd'])
})

test('a language without a grammar and unknown files are plain text', async () => {
  expect(await textOf('a.xyzzy', 'let it be\n')).toMatchObject({ isHighlighted: false, lines: [[['let it be', null]]] })
  expect(await textOf('LICENSE', 'MIT\n')).toMatchObject({ isHighlighted: false, totalLines: 1 })
})

test('an empty file has no lines', async () => {
  expect(await textOf('a.js', '')).toMatchObject({ totalLines: 0, lines: [] })
})

test('binary content has no lines', async () => {
  expect(await highlight('a.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]))).toMatchObject({ kind: 'binary' })
  expect(await highlight('a.js', 'a\0b')).toMatchObject({ kind: 'binary' })
})

test('a long line is cut, with the number of characters that are left out', async () => {
  const file = await textOf('a.js', `x\n"${'a'.repeat(5_000)}"\n${'😀'.repeat(1_500)}\n`)
  expect(file.cutLines).toEqual([
    { line: 2, leftOut: 3_002 },
    { line: 3, leftOut: 1_000 },
  ])
  expect(plain(file.lines).map((line) => line.length)).toEqual([1, 2_000, 2_000])
  expect(plain(file.lines).every((line) => line.isWellFormed())).toBe(true)
  // A pair of surrogates is not split.
  const odd = await textOf('a.js', `a${'😀'.repeat(1_500)}\n`)
  expect([odd.cutLines, plain(odd.lines)[0]?.isWellFormed()]).toEqual([[{ line: 1, leftOut: 1_002 }], true])
})

test('code that takes too long or nests too deep becomes plain text', async () => {
  const slow = await textOf('a.ts', 'const a = `${b}`\n'.repeat(40_000), { timeoutMs: 1 })
  expect(slow).toMatchObject({ isHighlighted: false, totalLines: 40_000 })
  const nested = await textOf('a.ts', '`${'.repeat(20_000))
  expect(nested.totalLines).toBe(1)
})

test('more than 2 MiB and more than 50,000 lines are plain text', async () => {
  const long = await textOf('a.ts', `const a = "${'x'.repeat(100)}"\n`.repeat(20_000))
  expect(long).toMatchObject({ isHighlighted: false, totalLines: 20_000 })
  expect(await textOf('a.ts', 'x()\n'.repeat(50_001))).toMatchObject({ isHighlighted: false, totalLines: 50_001 })
})
