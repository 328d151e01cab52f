import { test } from 'vitest'
import { expectLinear, expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { ownersOf, readCodeowners } from './codeowners.ts'

const paths = ['src/folder/file.test.ts', 'a'.repeat(200), 'a/'.repeat(100)]
const readers: Reader[] = [
  {
    name: 'a CODEOWNERS file, and owners of paths',
    read: (text) => {
      const codeowners = readCodeowners(text)
      return paths.map((path) => ownersOf(codeowners, path))
    },
    benign: (size) => '/src/**/*.test.ts @org/team\n'.repeat(size / 28),
    tokens: [
      '*',
      '**',
      '**/',
      '?',
      '/',
      'a',
      '\\',
      '\\ ',
      '!',
      '@',
      '@a',
      '@a/b',
      'a@b.c',
      '#',
      ' ',
      '\n',
      '[',
      ']',
      '^[',
      '[a]',
      '[2]',
    ],
  },
  {
    name: 'a path',
    read: (text) => ownersOf(codeowners, text.slice(0, 4_096)),
    benign: (size) => 'src/folder/'.repeat(size / 11),
    tokens: ['a', 'b', '/', '.', 'src/', '*'],
  },
]
const codeowners = readCodeowners('*a*b* @a\n**/a/**/b/** @b\n/src/**/?*.ts @c\n')

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)

test.each(['*', '**/', '*a', '?*', '*/'])('a pattern of 10,000 times %s takes linear time', (part) =>
  expectLinear(
    (size) => `${part.repeat(100)}b @a\n`.repeat(size / 100),
    10_000,
    (text) => ownersOf(readCodeowners(text), 'a'.repeat(200)),
  ),
)

test('a single pattern of 10,000 stars is read in no time', () =>
  expectLinear(
    (size) => '*'.repeat(size),
    100_000,
    (text) => ownersOf(readCodeowners(`${text} @a`), 'a'.repeat(4_000)),
  ))
