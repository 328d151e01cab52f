import { test } from 'vitest'
import { globMatcher } from './glob.ts'
import { pathText } from './path-text.ts'
import { expectLinear, expectLinearReader, type Reader } from './testing/linear-time.ts'
import { isValidBranchName, parseRepositoryUrl } from './url.ts'

const address = [
  'https://',
  'ssh://',
  'git@',
  'host',
  '.',
  ':',
  '22',
  '/',
  'a',
  '.git',
  '?',
  '#',
  '@',
  '%2f',
  '..',
  '~',
  'file://',
  '[::1]',
  ' ',
  '-',
]
const readers: Reader[] = [
  {
    name: 'a glob',
    // The time is the product of both lengths, and patterns are at most this long.
    read: (text) => globMatcher(text.slice(0, 1_000))('src/folder/file.test.ts'),
    benign: (size) => 'src/**/*.test.ts,'.repeat(size / 17),
    tokens: ['*', '**', '**/', '?', '[', ']', '[!', 'a-z', '{', '}', '{a,b}', ',', '\\', '/', 'a', '.'],
  },
  {
    name: 'a path that is matched',
    read: globMatcher('{src,test}/**/*[a-z].test.ts'),
    benign: (size) => `src/${'folder/'.repeat(size / 7)}a.test.ts`,
    tokens: ['src/', 'a', '/', '.test', '.ts', 'test/'],
  },
  {
    name: 'the text of a path',
    read: (text) => pathText(Buffer.from(text, 'latin1')),
    benign: (size) => 'folder/f\u00e9'.repeat(size / 9),
    tokens: ['a', '\\', 'x5c', '\\x1b', 'u202e', '\xe9', '\xc3', '\xf0\x9f', '\x1b', '/'],
  },
  {
    name: 'an address',
    read: (text) => parseRepositoryUrl(text, { allowLocal: true }),
    benign: (size) => `https://host/${'a/'.repeat(size / 2)}`,
    tokens: address,
  },
  {
    name: 'a branch',
    read: isValidBranchName,
    benign: (size) => 'feature/'.repeat(size / 8),
    tokens: ['a', '/', '.', '..', '.lock', '@{', '~', '^', ':', '-', '//'],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)

test('a glob of many stars in many alternatives takes time in proportion to the path', () =>
  expectLinear((size) => 'a'.repeat(size), 8_000, globMatcher(`${'{*,*}'.repeat(6)}${'*?'.repeat(230)}`)))
