import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue, findLanguage, readData } from '../catalogue.ts'
import { heuristicExtensions, heuristicsFor } from '../heuristics.ts'
import { ownRules } from '../own-rules.ts'
import { unknownExceptions } from '../path-rules.ts'
import { languagesWithTests } from '../../test-names/conventions.ts'
import { nestedRepeats, translateRuby } from './ruby-regex.ts'

test('every pattern of the rules compiles', () => {
  const heuristics = readData('heuristics.json')
  const patterns = heuristics.flatMap(({ rules }) => rules.flatMap(({ all }) => all.flatMap((c) => c.any ?? c.none)))
  const { vendored, documentation } = readData('paths.json')
  expect(patterns.length).toBeGreaterThan(400)
  for (const source of patterns) expect(() => new RegExp(source, 'm'), source).not.toThrow()
  for (const source of [...vendored, ...documentation]) expect(() => new RegExp(source), source).not.toThrow()
})

test('rules lead to languages that exist', () => {
  const named = [
    ...readData('heuristics.json').flatMap(({ rules }) => rules.flatMap(({ languages }) => languages)),
    ...[...ownRules.values()].flatMap((rules) => rules.map(([language]) => language)),
    ...languagesWithTests,
  ]
  expect(named.filter((name) => findLanguage(name) === undefined)).toEqual([])
  for (const extension of heuristicExtensions()) expect(heuristicsFor(`x${extension}`)).toBeDefined()
})

test('own rules are about names that several languages claim', () => {
  const { extensions, filenames } = catalogue()
  const owners = (name: string) => (extensions.get(name) ?? filenames.get(name) ?? []).length
  expect([...ownRules.keys()].filter((name) => owners(name) < 2)).toEqual([])
})

test('exceptions from the rules for vendored code are still rules of linguist', () => {
  expect(unknownExceptions()).toEqual([])
})

test('the notice names the release that the data are of, and its licence', async () => {
  const folder = dirname(createRequire(import.meta.url).resolve('linguist-languages'))
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  const notice = await readFile(new URL('NOTICE.md', import.meta.url), 'utf8')
  expect(notice).toContain(`linguist-languages ${version}`)
  expect(notice).toContain('Copyright (c) 2017 GitHub, Inc.')
})

test.each([
  ['(?i)^mov\\s', 'MOV ax', true],
  ['^(?i:end)\\.', 'End.', true],
  ['^(?i:end)X', 'ENDx', false],
  ['a(?i)b|c', 'aC', true],
  ['(?i:[a-f]+)!', 'ABC!', true],
  ['\\Afoo', 'bar\nfoo', false],
  ['foo\\z', 'foo\n', false],
  ['\\h{4}', 'beef', true],
  ['^[\\s&&[^\\r\\n]]*=', ' \t=', true],
  ['^[\\s&&[^\\r\\n]]+=', '\n=', false],
  ['(?m)a.b', 'a\nb', true],
  ['(?-m)a.b', 'a\nb', false],
  ['(?x) a  b # a comment', 'ab', true],
  ['(?<n>[ab]+):\\g<n>$', 'ab:ba', true],
  ['(?:ab)*+c', 'ababc', true],
  ['a{0,1}{', 'a{', true],
  ['[[:alpha:]]+\\d', 'x1', true],
])('translates Ruby: %s', (ruby, text, matches) => {
  expect(new RegExp(translateRuby(ruby), 'm').test(text)).toBe(matches)
})

test.each(['(?>atomic)', '\\p{Alpha}', '\\Gx', '(a)\\1', '(a', 'a)', '[a', '\\g<later>(?<later>a)'])(
  'refuses %s, which has no counterpart',
  (ruby) => {
    expect(() => translateRuby(ruby)).toThrow()
  },
)

test('finds repeats inside repeats, where exponential time hides', () => {
  expect(nestedRepeats('^(?:[a-z]+\\s*)*$')).toEqual(['(?:[a-z]+\\s*)*'])
  expect(nestedRepeats('(?:a(?:b+))+')).toEqual(['(?:a(?:b+))+'])
  expect(nestedRepeats('(?:ab)+c*[(+*]')).toEqual([])
  expect(nestedRepeats('(?:a+)?')).toEqual([])
})
