import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keysOf, matchesPath, readPathPattern, splitPath } from './path-pattern.ts'

const matches = (pattern: string, path: string) =>
  matchesPath(readPathPattern(pattern, false), splitPath(path, { left: 10_000 }))

test.each<[pattern: string, matching: string[], others: string[]]>([
  ['foo', ['foo', 'foo/bar', 'bar/foo', 'bar/foo/baz'], ['foo.txt', 'bar/foo.txt', 'Foo']],
  ['/foo', ['foo', 'foo/bar', 'foo/bar/baz'], ['fool', 'bar/foo', 'bar/foo/baz']],
  ['foo/', ['foo/bar', 'foo/bar/baz', 'bar/foo/baz'], ['foo', 'bar/foo']],
  ['/foo/', ['foo/bar', 'foo/bar/baz'], ['foo', 'bar/foo/baz']],
  ['foo/bar', ['foo/bar', 'foo/bar/baz'], ['foo/bart', 'baz/foo/bar']],
  ['foo/bar/', ['foo/bar/baz'], ['foo/bar', 'baz/foo/bar/a']],
  ['*', ['foo', 'foo/bar', '.hidden/a'], []],
  ['/*', ['foo', '.hidden'], ['foo/bar']],
  ['/*/', ['foo/bar', 'foo/bar/baz'], ['foo']],
  ['f*', ['foo', 'foo/bar', 'bar/foo', 'bar/foo/baz'], ['bar/baz', 'xfoo']],
  ['f*/', ['foo/bar', 'bar/foo/baz'], ['foo', 'bar/foo']],
  ['foo/*', ['foo/bar'], ['foo', 'foo/bar/baz', 'bar/foo/baz']],
  ['foo/*.txt', ['foo/bar.txt', 'foo/.txt'], ['foo/bar/baz.txt', 'qux/foo/bar.txt']],
  ['foo/*/baz', ['foo/bar/baz', 'foo/bar/baz/qux'], ['foo/baz', 'foo/a/b/baz']],
  ['*.test.*', ['a.test.ts', 'src/a.test.ts'], ['a.tests.ts', 'test.ts']],
  ['f?o', ['foo', 'f😀o'], ['fo', 'fooo', 'f/o']],
  ['f\\*o', ['f*o'], ['foo', 'f\\*o']],
  ['f\\?o', ['f?o'], ['foo']],
  ['\\foo', ['foo'], ['\\foo']],
  ['**/foo/bar', ['foo/bar', 'qux/foo/bar', 'qux/foo/bar/baz'], ['foo/baz/bar']],
  ['**/*bar*', ['bar', 'foo/rebar', 'foo/barrio/a'], ['foo/ba']],
  ['foo/**', ['foo/bar', 'foo/bar/baz'], ['foo', 'qux/foo/bar']],
  ['foo/**/bar', ['foo/bar', 'foo/qux/bar/baz', 'foo/a/b/bar'], ['qux/foo/bar', 'foo/bart']],
  ['foo/**/', ['foo/bar', 'foo/bar/baz'], ['foo']],
  ['foo/**/bar/b*', ['foo/bar/baz', 'foo/qux/bar/baz'], ['foo/bar', 'foo/qux/bar/qux']],
  ['**', ['foo', 'foo/bar'], []],
  ['a**b', ['ab', 'a--b'], ['a/b']],
])('%s matches as on GitHub', (pattern, matching, others) => {
  expect([...matching, ...others].filter((path) => matches(pattern, path))).toEqual(matching)
})

test('a pattern can match in every folder although it has a slash in the middle', () => {
  const pattern = readPathPattern('internal/*.md', true)
  const matching = ['internal/a.md', 'docs/internal/a.md', 'docs/a.md', 'internal/deep/a.md'].filter((path) =>
    matchesPath(pattern, splitPath(path, { left: 10_000 })),
  )
  expect(matching).toEqual(['internal/a.md', 'docs/internal/a.md'])
})

const name = fc.stringMatching(/^[ab]{1,3}$/)
const part = fc.oneof(fc.stringMatching(/^[ab*?]{1,4}$/), fc.constant('**'))
const pattern = fc
  .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([isRooted, parts, isFolder]) => `${isRooted ? '/' : ''}${parts.join('/')}${isFolder ? '/' : ''}`)

test('matches as a regular expression does, and has a key that every matching path has', () => {
  fc.assert(
    fc.property(pattern, fc.array(name, { minLength: 1, maxLength: 5 }), (text, names) => {
      const path = names.join('/')
      const read = readPathPattern(text, false)
      const isMatch = matchesPath(read, splitPath(path, { left: 10_000 }))
      expect(isMatch).toBe(expressionOf(text).test(path))
      if (isMatch) expect(keysOf(splitPath(path, { left: 10_000 })).has(read.key)).toBe(true)
    }),
    { numRuns: 3_000, seed: 21 },
  )
})

/** The documented meaning, written down in another way. */
function expressionOf(text: string): RegExp {
  const isRooted = text.startsWith('/')
  const isFolder = text.endsWith('/')
  const parts = text.split('/').filter((part) => part !== '')
  const inEveryFolder = !isRooted && parts.length === 1
  const middle = parts.map((part) => {
    if (part === '**') return '(?:[^/]+/)*'
    return `${part.replaceAll('?', '[^/]').replace(/\*+/g, '[^/]*')}/`
  })
  // The path gets a slash at its end.
  const isDirect = parts.at(-1) === '*' && !inEveryFolder && !isFolder
  const end = isFolder || parts.at(-1) === '**' ? '[^/]+/(?:[^/]+/)*' : isDirect ? '' : '(?:[^/]+/)*'
  const expression = new RegExp(`^${inEveryFolder ? '(?:[^/]+/)*' : ''}${middle.join('')}${end}$`)
  return { test: (path: string) => expression.test(`${path}/`) } as RegExp
}
