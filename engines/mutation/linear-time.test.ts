import { test } from 'vitest'
import { expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { everyLine } from './testing.ts'
import { mutantsOf } from './mutants-of.ts'

const common = [
  'a',
  ' < ',
  ' + ',
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  ',',
  '\n',
  '"',
  "'",
  '-',
  '!',
  '0',
  '.',
  ':',
  '/*',
  '//',
  '#',
]
// JavaScript is read in a process of its own, with a deadline, because some nesting takes its parser down.
const languages: [path: string, tokens: string[], unit: string][] = [
  [
    'a.py',
    ['if a < b:\n', '    ', 'def f():\n', 'return ', ' and ', 'not ', 'lambda: ', '"""', 'a()'],
    'a = a + 1 if a < b else a\n',
  ],
  [
    'a.go',
    ['package a\n', 'func f() {', 'if a < b {', 'return ', ' && ', 'go ', 'defer ', 'a()', ':='],
    'var a = 1 + 2\n',
  ],
]

const readers = languages.map(([path, tokens, unit]): Reader => ({
  name: path,
  read: (text) => mutantsOf(path, text, everyLine),
  head: path === 'a.go' ? 'package a\n' : '',
  benign: (size) => (path === 'a.go' ? 'package a\n' : '') + unit.repeat(size / unit.length),
  tokens: [...common, ...tokens],
  maxSize: 100_000,
}))

test.each(readers)('mutants of $name take linear time, whatever it is made of', expectLinearReader)
