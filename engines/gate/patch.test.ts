import { expect, test } from 'vitest'
import { type PatchFile, withoutComments } from './patch.ts'

const linesOf = (code: string, path = 'a.js', lines: string | null = null) => {
  const file: PatchFile = { path, before: null, kind: 'code', change: 'added', lines, removed: '', namesakes: [] }
  return withoutComments(file, code).lines
}

test('comments and blank lines are no changed lines', () => {
  expect(linesOf('// a\n\n/* b */\ncode()\n/**\n * c\n */\ncode()\n')).toBe('4,8')
  expect(linesOf('// a\r\n\r\ncode()\r\n')).toBe('3')
  expect(linesOf('code()\n// a\ncode()\n', 'a.ts', '1-2')).toBe('1')
})

test.each([
  ['/* a */ code()', '1'],
  ['/* a */ code() /* b */', '1'],
  ['/*\n * a\n */ code()', '1-3'],
  ['const sum = a\n  * b\n  * c', '1-3'],
  ['const globs = `\n/*.log\n${code()}\n`', '1-4'],
  ['/*\n a\n*/', '1-3'],
])('no code is taken for a comment: %j', (code, lines) => expect(linesOf(code)).toBe(lines))

test('reports of other languages decide themselves', () => {
  expect(linesOf('# a\n\ncode()', 'a.py')).toBeNull()
})
