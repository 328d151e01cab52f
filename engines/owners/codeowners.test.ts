import { expect, test } from 'vitest'
import { cpuMilliseconds } from '../source/testing/cpu-time.ts'
import { codeownersPaths, ownersOf, readCodeowners } from './codeowners.ts'

const ownersIn = (text: string, path: string) => ownersOf(readCodeowners(text), path)?.owners

/** The rules of the example in GitHub's documentation, in its order. */
const documented = `# This is a comment.
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
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
  ['README', ['@global-owner1', '@global-owner2'], 2],
  ['deep/in/a/folder.rb', ['@global-owner1', '@global-owner2'], 2],
  ['src/a.js', ['@js-owner'], 3],
  ['main.go', ['docs@example.com'], 4],
  ['notes/a.txt', ['@octo-org/octocats'], 5],
  ['build/a.c', ['@global-owner1', '@global-owner2'], 2],
  ['build/logs/today/a.js', ['@octocat'], 11],
  ['docs/start.md', ['@doctocat'], 9],
  ['docs/build/a.js', ['@doctocat'], 9],
  ['web/docs/a.js', ['@js-owner'], 3],
  ['web/apps/one/a.js', ['@octocat'], 8],
  ['scripts/run', ['@doctocat', '@octocat'], 10],
  ['web/scripts/run', ['@global-owner1', '@global-owner2'], 2],
  ['deeply/nested/logs/a.txt', ['@octocat'], 11],
  ['apps/a.js', ['@octocat'], 12],
  ['apps/github', [], 13],
  ['apps/github/a.js', [], 13],
])('in the example of GitHub, %s belongs to %j by line %d', (path, owners, line) => {
  expect(ownersOf(readCodeowners(documented), path)).toEqual({ owners, line })
})

test('`docs/*` matches files in the folder, but not in folders below', () => {
  expect(ownersIn('docs/*  docs@example.com', 'docs/getting-started.md')).toEqual(['docs@example.com'])
  expect(ownersIn('docs/*  docs@example.com', 'docs/build-app/troubleshooting.md')).toBeUndefined()
})

test('a path that no rule matches has no answer, and differs from one that a rule gives no owners', () => {
  const codeowners = readCodeowners('/src/ @a\n/src/open/\n')
  expect(ownersOf(codeowners, 'test/a.js')).toBeNull()
  expect(ownersOf(codeowners, 'src/open/a.js')).toEqual({ owners: [], line: 2 })
})

test('reads Windows lines, a byte order mark, tabs and escaped blanks', () => {
  const text = '\uFEFF*\t@a\r\n\r\n  /my\\ docs/\t @b  @c # why\r\n/#notes @d\r\n'
  expect(ownersOf(readCodeowners(text), 'my docs/a')).toEqual({ owners: ['@b', '@c'], line: 3 })
  expect(ownersIn(text, '#notes')).toEqual(['@d'])
  expect(ownersIn(text, 'my')).toEqual(['@a'])
})

test('reports lines that GitHub does not accept and reads the others', () => {
  const bad = [
    '***/*.rb @monalisa',
    '*.txt docs@',
    '!src/ @a',
    '\\#notes @a',
    '/[a-z].js @a',
    '/ @a',
    '/src/ a @b',
    `/${'a'.repeat(5_000)} @a`,
  ]
  const { problems, rules } = readCodeowners(['* @all', ...bad, '/app/\\[id\\]/page.tsx @page'].join('\n'))
  expect(problems.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  expect(problems.map(({ message }) => message)).toEqual([
    'Patterns cannot contain `***`. Did you mean `**`?',
    '`docs@` is no owner. Write `@user`, `@org/team` or an e-mail address. The line has no effect.',
    'Patterns cannot be negated with `!`. Add a rule without owners.',
    'Patterns cannot begin with `#`, even with a backslash.',
    'Patterns cannot contain character ranges. Write `\\[` and `\\]` for brackets.',
    'The pattern matches no file.',
    '`a` is no owner. Write `@user`, `@org/team` or an e-mail address. The line has no effect.',
    'The pattern is longer than 4096 characters.',
  ])
  expect(rules.map(({ line }) => line)).toEqual([1, 10])
})

test('finds a folder whose name has brackets', () => {
  expect(ownersIn('/app/\\[id\\]/ @page', 'app/[id]/page.tsx')).toEqual(['@page'])
})

test('distinguishes upper and lower case', () => {
  expect(ownersIn('/Docs/ @a', 'docs/a')).toBeUndefined()
})

const sections = `* @admin

[README Owners]
README.md @user1 @user2
internal/README.md @user4

^[README other owners][2]
README.md @user3

[Documentation] @docs-team @group/with-nested/subgroup
docs/
docs/api/ @@maintainer

[DOCUMENTATION]
/docs/legal/ @legal name_without_sign
`

test.each([
  ['README.md', ['@admin', '@user1', '@user2', '@user3'], 8],
  ['internal/README.md', ['@admin', '@user4', '@user3'], 8],
  ['web/internal/README.md', ['@admin', '@user4', '@user3'], 8],
  ['docs/a.txt', ['@admin', '@docs-team', '@group/with-nested/subgroup'], 11],
  ['web/docs/api/a.txt', ['@admin', '@@maintainer'], 12],
  ['docs/legal/a.txt', ['@admin', '@legal'], 15],
  ['src/a.js', ['@admin'], 1],
])('in a file with sections of GitLab, %s belongs to %j', (path, owners, line) => {
  expect(ownersOf(readCodeowners(sections), path)).toEqual({ owners, line })
})

test('a section reports malformed owners and keeps the others', () => {
  expect(readCodeowners(sections).problems).toEqual([
    { line: 15, message: '`name_without_sign` is no owner. Write `@user`, `@org/team` or an e-mail address.' },
  ])
})

test('a file that a section excludes has none of its owners, whatever follows', () => {
  const text = '* @default\n!*.rb\n/special/*.rb @ruby\n[Config]\n/config/ @ops\n\\#notes @notes'
  expect(ownersOf(readCodeowners(text), 'special/a.rb')).toEqual({ owners: [], line: 2 })
  expect(ownersIn(text, 'config/a.rb')).toEqual(['@ops'])
  expect(ownersIn(text, '#notes')).toEqual(['@default', '@notes'])
})

test('owners that several sections name appear once, and at most 100 are named', () => {
  expect(ownersIn('* @a\n[One]\n* @b @a', 'a')).toEqual(['@a', '@b'])
  const many = Array.from({ length: 200 }, (_, index) => `@user${index}`).join(' ')
  expect(ownersIn(`* ${many}`, 'a')).toHaveLength(100)
})

test('refuses a file that GitHub does not load', () => {
  const { rules, problems } = readCodeowners('/a @b\n'.repeat(600_000))
  expect(rules).toEqual([])
  expect(problems).toEqual([
    { line: null, message: 'The file is larger than 3 MB. GitHub does not load it. Use wildcards to combine rules.' },
  ])
})

test('keeps the last of too many rules, which decide', () => {
  const codeowners = readCodeowners(`* @all\n${'/src/ @first\n'.repeat(45_000)}/src/ @last`)
  expect(codeowners.rules).toHaveLength(20_000)
  expect(codeowners.problems).toEqual([
    { line: null, message: 'The file has 45002 rules. Only the last 20000 count, from line 25003 on.' },
  ])
  expect(ownersOf(codeowners, 'src/a')).toEqual({ owners: ['@last'], line: 45_002 })
  expect(ownersOf(codeowners, 'a')).toBeNull()
})

test('reports at most 100 lines', () => {
  expect(readCodeowners('!a\n'.repeat(500)).problems).toHaveLength(100)
})

test('has no answer for a path that cannot exist', () => {
  expect(ownersIn('* @a', 'a/'.repeat(3_000))).toBeUndefined()
})

test('has no answer, soon, if hostile patterns leave it open', async () => {
  const codeowners = readCodeowners(`* @all\n${`*${'a'.repeat(140)}?b* @hostile\n`.repeat(19_000)}`)
  const spent = await cpuMilliseconds(() => {
    expect(ownersOf(codeowners, 'a'.repeat(4_000))).toBeNull()
  })
  expect(spent).toBeLessThan(1_000)
  expect(ownersOf(codeowners, 'src/a.ts')?.owners).toEqual(['@all'])
})

test('looks up 10,000 paths in 20,000 rules fast', async () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `/packages/package-${index}/ @owner-${index}`)
  const codeowners = readCodeowners(text.join('\n'))
  const spent = await cpuMilliseconds(() => {
    for (let index = 0; index < 10_000; index++)
      ownersOf(codeowners, `packages/package-${2 * index}/src/deep/a.test.ts`)
  })
  expect(ownersOf(codeowners, 'packages/package-19999/a')?.owners).toEqual(['@owner-19999'])
  expect(spent).toBeLessThan(2_000)
})

test('names the places of the file', () => {
  expect(codeownersPaths).toEqual(['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'])
})
