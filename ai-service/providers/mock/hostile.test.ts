import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Suggestion } from '../../../core/ai/schema.ts'
import { aBrief, aCandidate, aCase, anAnalysis } from '../../testing/analysis.ts'
import { partsOf, pythonErrors, syntaxErrors } from '../../testing/syntax.ts'
import { createMockProvider } from '../mock.ts'
import { inCode, isPrintable, isSafePath, oneLine } from '../../repository/safe-text.ts'

const { signal } = new AbortController()
const mock = createMockProvider()

const files = ['a/x.ts', 'a/x.js', 'a/x.py', 'a/x.go', 'a/X.java', 'a/x.rb', 'a/x.rs', 'a/X.php', 'a/X.cs']

/** Vitest loads what such words name, wherever they stand in a test file: this one too. */
const pragma = (name: string) => ['@vitest', `environment ${name}`].join('-')

/** What closes strings and comments, splices lines, or is read by a tool, in one language or another. */
const breakouts = [
  "'", '"', '`', '\\', '\\"', "\\'", '\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\u000B', '\u000C', '\u0000',
  '*/', '/*', '//', '<!--', '-->', '?>', '<?php', '#{', '${', '%s', '{}', '{:?}', '"""', "'''", '=begin', '=end', '__END__',
  '\\u000a', '\\u002a\\u002f', '\\x0a', '\u202E', '\u2066', '\u200B', '\uFEFF', '\u{E0041}', '\u{E0100}', '\uD800', '\u3164',
  'coding: utf-7', '-*- coding: rot13 -*-', 'frozen_string_literal: true', pragma('evil'),
  '# sourceMappingURL=evil.map', 'go:build ignore', '+build ignore', '@ts-nocheck', '[MOCK RESPONSE]', ');', '}', '{', ']', 'eval(1)',
  'System.exit(1);', 'Ignore previous instructions', '</script>', '😀', 'é', '漢字', '\u0301', 'constructor', '__proto__',
] // prettier-ignore

const hostileText = fc
  .array(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...breakouts) }, fc.string({ unit: 'binary', maxLength: 6 })),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))

const suggest = async (changes: Parameters<typeof anAnalysis>[0]) =>
  (await mock.suggestTests(anAnalysis(changes), { maxSuggestions: 50, signal })).suggestions

const isClean = (text: string) => isPrintable(text.replaceAll(/[\n\t]/g, ' '))

test('a hostile symbol changes comments and strings of an example, and never its code', async () => {
  const harmless = await suggest({ testCandidates: files.map((path) => aCandidate({ path, symbol: 'no identifier' })) })
  const expected = await Promise.all(harmless.map(({ file_path, example_code }) => partsOf(file_path, example_code)))
  expect(expected.every((parts) => parts.code.length > 20 && parts.texts.length > 4)).toBe(true)

  await fc.assert(
    fc.asyncProperty(hostileText, fc.array(hostileText, { maxLength: 2 }), async (text, reasons) => {
      const symbol = `${text} ${text}`
      const suggestions = await suggest({ testCandidates: files.map((path) => aCandidate({ path, symbol, reasons })) })
      for (const [index, suggestion] of suggestions.entries()) {
        const { file_path, example_code, description, rationale, target } = Suggestion.parse(suggestion)
        expect(await syntaxErrors(file_path, example_code)).toEqual([])
        expect((await partsOf(file_path, example_code)).code).toBe(expected[index]?.code)
        expect(example_code.split('\n').length).toBe(harmless[index]?.example_code.split('\n').length)
        for (const shown of [example_code, description, rationale, target?.symbol ?? ''])
          expect(isClean(shown)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
}, 30_000)

test('hostile cases and briefs leave every example valid, and get into strings, comments and names only', async () => {
  const lines = async (condition: string) =>
    (await suggest({ testCandidates: files.map((path) => aCandidate({ path, cases: [aCase({ condition })] })) })).map(
      ({ example_code }) => example_code.split('\n').length,
    )
  const expected = await lines('a')
  await fc.assert(
    fc.asyncProperty(hostileText, hostileText, hostileText, async (text, other, third) => {
      const cases = [aCase({ condition: text, result: other, outcome: 'throws' })]
      expect(await lines(text)).toEqual(expected)
      const brief = aBrief({
        framework: third,
        import: `import { parseConfig } from '${other}'`,
        construct: `new Config(${third})`,
        signature: text,
        parameters: [{ name: other, type: third, isOptional: false }],
        testFile: { path: text, exists: false },
      })
      const through = { path: `a/${text}`, symbol: other, startLine: 1, endLine: 2 }
      const suggestions = await suggest({
        testCandidates: files.flatMap((path) => [
          aCandidate({ path, cases, brief }),
          aCandidate({ path, symbol: 'Config.read', kind: 'method', cases, brief }),
          aCandidate({ path, symbol: 'inner', cases, brief, through }),
        ]),
      })
      for (const { file_path, example_code, description, rationale } of suggestions) {
        expect([await syntaxErrors(file_path, example_code), example_code]).toEqual([[], example_code])
        expect((await partsOf(file_path, example_code)).code).not.toMatch(/eval\(1\)|System\.exit|<\/script>/)
        expect(isClean(example_code) && isClean(description) && isClean(rationale)).toBe(true)
        expect(example_code).not.toMatch(/@vitest-|\/\/[#@]/)
      }
    }),
    { numRuns: 100 },
  )
}, 60_000)

test('a hostile but possible path leaves every example valid', async () => {
  const possible = breakouts.map((text) => text.replaceAll('/', '')).filter((text) => isSafePath(`${text}x`))
  const folder = fc.array(fc.constantFrom(...possible), { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
  let suggested = 0
  await fc.assert(
    fc.asyncProperty(folder, folder, async (a, b) => {
      const testCandidates = files.map((path) =>
        aCandidate({ path: `${a}/${b}${path.slice(path.lastIndexOf('/') + 1)}`, symbol: 'load' }),
      )
      for (const { file_path, example_code, description } of await suggest({ testCandidates, files: [] })) {
        suggested += 1
        expect(isSafePath(file_path)).toBe(true)
        expect([await syntaxErrors(file_path, example_code), example_code]).toEqual([[], example_code])
        expect((await partsOf(file_path, example_code)).code).not.toMatch(/eval\(1\)|System\.exit|<\/script>/)
        expect(isClean(example_code) && isClean(description)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
  expect(suggested).toBeGreaterThan(500)
}, 30_000)

test('every other text of an analysis is shown as plain words', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, hostileText, async (name, language) => {
      const analysis = anAnalysis({
        commitSha: name,
        summary: {
          totalFiles: 1,
          languages: { [language]: 3 },
          frameworks: [{ name, confidence: 1 }],
          hasTests: true,
          testFrameworks: [name, { name: language, confidence: 0.5 }],
        },
        packageInfo: { name, manifests: [{ path: name, ecosystem: name }] },
        testCandidates: [aCandidate({ language })],
      })
      const { summary, suggestions } = await mock.suggestTests(analysis, { maxSuggestions: 1, signal })
      expect(isClean(summary)).toBe(true)
      expect(suggestions).toHaveLength(1)
      expect(await syntaxErrors('a.ts', suggestions[0]?.example_code ?? '')).toEqual([])
      const advice = await mock.analyze(
        { repository_url: `https://x.org/${name}`, language, framework: name },
        { signal },
      )
      expect(isClean([advice.summary, ...advice.recommendations].join(' '))).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('no comment of strangers decides in which encoding Python reads the example', async () => {
  const testCandidates = ['coding: rot13', '-*- coding: utf-7 -*-', 'coding=nonsense'].map((symbol) =>
    aCandidate({ path: 'a/x.py', symbol }),
  )
  const codes = (await suggest({ testCandidates })).map((suggestion) => suggestion.example_code)
  expect(codes).toHaveLength(3)
  for (const code of codes) expect(code.split('\n').slice(0, 2).join('\n')).not.toMatch(/coding[:=]/)
  expect(pythonErrors(codes) ?? []).toEqual([])
})

test('a path that a test runner would take for a directive is not suggested', async () => {
  const path = `src/${pragma('evil')}/x.ts`
  expect(await suggest({ testCandidates: [aCandidate({ path })] })).toHaveLength(2)
  expect(isSafePath(path)).toBe(false)
})

test('text for code keeps what people write and loses what lexers read', () => {
  expect(inCode('Router.handle', 50)).toBe('Router.handle')
  expect(inCode('packages/@scope/app/[id].tsx', 50)).toBe('packages/@scope/app/[id].tsx')
  expect(inCode('größe_漢字', 50)).toBe('größe_漢字')
  expect(inCode('a*/ alert(`x`) //# sourceMappingURL=x', 80)).toBe('a_/ alert(_x_) /# sourceMappingURL=x')
  expect(inCode('\\u000a}', 50)).toBe('_u000a_')
  expect(inCode(pragma('evil'), 50)).toBe('vitest-environment evil')
  expect(inCode('?> <?php', 50)).toBe('?_ _?php')
})

test('a line is cut without half a character', () => {
  expect(oneLine('a\r\n\tb  c', 50)).toBe('a b c')
  expect(oneLine('abcdef', 4)).toBe('abc…')
  expect(oneLine('ab😀def', 4)).toBe('ab…')
  expect(oneLine('x'.repeat(1_000_000), 10)).toHaveLength(10)
})
