import { expect, test } from 'vitest'
import { ownersOf, readCodeowners } from './codeowners.ts'

const owners = (text: string, path: string) => ownersOf(readCodeowners(text), path)?.owners ?? null

const documented = `
# The owners of everything without another rule.
*       @global-owner1 @global-owner2
*.js    @js-owner #A comment on a line
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
`

test.each([
  ['README.md', ['@global-owner1', '@global-owner2']],
  ['src/a/b.js', ['@js-owner']],
  ['src/b.jsx', ['@global-owner1', '@global-owner2']],
  ['main.go', ['docs@example.com']],
  ['build/logs/today/a.txt', ['@octocat']],
  ['src/apps/a.rb', ['@octocat']],
  ['docs/build-app/troubleshooting.md', ['@doctocat']],
  ['deep/logs/a.txt', ['@octocat']],
  ['apps/github/a.rb', []],
  ['apps/github.rb', ['@octocat']],
])('the examples of the documentation: %s', (path, expected) => {
  expect(owners(documented, path)).toEqual(expected)
})

test.each([
  ['/a/*.ts @x', 'a/b.ts', ['@x']],
  ['/a/*.ts @x', 'a/b/c.ts', null],
  ['/a/**/c.ts @x', 'a/c.ts', ['@x']],
  ['/a/**/c.ts @x', 'a/b/b/c.ts', ['@x']],
  ['a?c.ts @x', 'd/abc.ts', ['@x']],
  ['A.ts @x', 'a.ts', null],
  [String.raw`with\ space.ts @x`, 'with space.ts', ['@x']],
  [String.raw`\#hash.ts @x`, '#hash.ts', ['@x']],
  ['a.ts', 'a.ts', []],
  ['* @x\na.ts', 'a.ts', []],
  ['docs/* @x', 'docs/a.md', ['@x']],
  ['docs/* @x', 'docs/a/b.md', null],
  ['', 'a.ts', null],
])('%j and %s', (text, path, expected) => expect(owners(text, path)).toEqual(expected))

test('sections have defaults of their own, and a file can have owners in several', () => {
  const text = `* @all\n[Backend][2] @backend\n/server/\n/server/db/ @dba\n^[Docs]\n*.md @writer\n`
  expect(owners(text, 'server/a.ts')).toEqual(['@backend', '@all'])
  expect(owners(text, 'server/db/a.md')).toEqual(['@writer', '@dba', '@all'])
})

test('lines that code hosts do not accept are problems', () => {
  const { problems } = readCodeowners('!a.ts @x\n[a-z].ts @x\n* @x\n')
  expect(problems.map(({ line }) => line)).toEqual([1])
  expect(readCodeowners(`src/[a-z].ts @x`).problems).toMatchObject([{ line: 1 }])
  expect(readCodeowners('x'.repeat(4 * 2 ** 20)).problems).toMatchObject([{ line: null }])
})

test('hostile patterns and paths take linear time', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `${'*a'.repeat(400)}${index} @x`).join('\n')
  const codeowners = readCodeowners(text.slice(0, 2_900_000))
  expect(ownersOf(codeowners, `src/${'a'.repeat(200)}.ts`)).toBeNull()
  expect(ownersOf(readCodeowners(`${'*'.repeat(900)} @x`), 'a'.repeat(4_000))).not.toBeNull()
})
