import { expect, test } from 'vitest'
import { type PatchFile, withoutBlankLines } from './patch.ts'
import { blankComments } from './comments-task.ts'

const linesOf = (code: string, path = 'a.js', lines: string | null = null) => {
  const file: PatchFile = { path, before: null, kind: 'code', change: 'added', lines, removed: '', namesakes: [] }
  return withoutBlankLines(file, blankComments({ path, source: code })).lines
}

test('comments and blank lines are no changed lines', () => {
  expect(linesOf('// a\n\n/* b */\ncode()\n/**\n * c\n */\ncode()\n')).toBe('4,8')
  expect(linesOf('// a\r\n\r\ncode()\r\n')).toBe('3')
  expect(linesOf('code()\n// a\ncode()\n', 'a.ts', '1-2')).toBe('1')
  expect(linesOf('/*\n a\n*/')).toBe('')
  expect(linesOf('\uFEFF// 😀\n/* 😀 */ code("😀")\n// b\n/* 😀\n */ code()\n// c')).toBe('2,5')
})

test.each([
  ['/* a */ code()', '1'],
  ['/* a */ code() /* b */', '1'],
  ['/*\n * a\n */ code()', '3'],
  ['const sum = a\n  * b\n  * c', '1-3'],
  ['const globs = `\n/*.log\n${code()}\n`', '1-4'],
  ['const text = `\n// ${code()}\n`', '1-3'],
  ['const text = `\n/* ${code()} */\n`', '1-3'],
  ['const text = `\n/**\n * ${code()}\n */\n`', '1-5'],
  ['const text = `\n// `, more = code()', '1-2'],
  ["const text = 'a\\\n// ' + code()", '1-2'],
  ['const element = <p>\n  // {code()}\n  /* {code()} */\n</p>', '1-4'],
  ['const element = <p title="\n// " {...code()} />', '1-2'],
  ['/* a\n// b */ code()', '2'],
  ['// a\rcode()', '1'],
  ['// a\u2028code()', '1'],
  ['const slashes = /[/*]/\n// */', '1'],
  ['#!/usr/bin/env node\ncode()', '2'],
  ['code()\n/* not\n// closed\ncode()', '1-4'],
])('no code is taken for a comment: %j', (code, lines) => expect(linesOf(code)).toBe(lines))

test('reports of other languages decide themselves', () => {
  expect(blankComments({ path: 'a.py', source: '# a\n\ncode()' })).toBe('# a\n\ncode()')
})
