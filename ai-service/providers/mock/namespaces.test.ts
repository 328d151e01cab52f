import { expect, test } from 'vitest'
import type { AnalysisResult } from '../../../engines/analysis/schema.ts'
import { aCandidate, aFile, anAnalysis } from '../../testing/analysis.ts'
import { createMockProvider } from '../mock.ts'

const { signal } = new AbortController()
const suggest = (analysis: AnalysisResult) =>
  createMockProvider().suggestTests(analysis, { maxSuggestions: 10, signal })

test.each([
  ['tree.go', 'github.com/gin-gonic/gin', 'package gin\n', false],
  ['tree.go', 'github.com/labstack/echo/v4', 'package echo\n', false],
  ['tree.go', 'gopkg.in/yaml.v3', 'package yaml\n', false],
  ['tree.go', 'github.com/acme/go-store', 'package store\n', true],
  ['tree.go', 'github.com/acme/lumberjack.go', 'package lumberjack\n', true],
  ['tree.go', 'main', 'package subject\n', true],
  ['tree.go', '', 'package subject\n', true],
  ['main.go', 'github.com/gin-gonic/gin', 'package main\n', false],
  ['cmd/serve/run.go', 'github.com/gin-gonic/gin', 'package main\n', false],
  ['cmd/root.go', 'github.com/spf13/cobra', 'package cmd\n', false],
  ['internal/store/v2/a.go', 'github.com/acme/x', 'package store\n', true],
])('%s in the module %j is tested in its package', async (path, name, clause, isGuess) => {
  const packageInfo = { name, manifests: [{ path: 'go.mod', ecosystem: 'go', name }] }
  const { suggestions } = await suggest(anAnalysis({ packageInfo, testCandidates: [aCandidate({ path })] }))
  expect(suggestions[0]?.example_code).toContain(clause)
  expect(suggestions[0]?.example_code.includes('The package name is a guess')).toBe(isGuess)
})

test('a PHP class has its namespace if the path shows it, or else a note', async () => {
  const code = async (paths: string[]) => {
    const testCandidates = [aCandidate({ path: paths[0] ?? '', symbol: 'Php7.parse', kind: 'method' })]
    const { suggestions } = await suggest(anAnalysis({ files: paths.map((path) => aFile(path)), testCandidates }))
    return suggestions[0]?.example_code
  }
  const alone = await code(['lib/PhpParser/Parser/Php7.php', 'lib/PhpParser/Lexer.php', 'test/PhpParser/LexerTest.php'])
  expect(alone).toContain('new \\PhpParser\\Parser\\Php7()')
  expect(alone).not.toContain('does not show the namespace')
  const nested = { name: 'x', manifests: [{ path: 'src/Illuminate/Mail/composer.json', ecosystem: 'composer' }] }
  const { suggestions } = await suggest(
    anAnalysis({
      files: [],
      packageInfo: nested,
      testCandidates: [aCandidate({ path: 'src/Illuminate/Mail/Http/Mailer.php', symbol: 'Mailer', kind: 'class' })],
    }),
  )
  expect(suggestions[0]?.example_code).toContain('new \\Illuminate\\Mail\\Http\\Mailer(')
  const amongOthers = await code(['src/Parser/Php7.php', 'src/Lexer.php'])
  expect(amongOthers).toContain('new \\Php7()')
  expect(amongOthers).toContain('The path does not show the namespace: complete the name.')
})

test('does not instantiate what may be a Ruby module', async () => {
  const testCandidates = [
    aCandidate({ path: 'lib/rack/utils.rb', symbol: 'Rack.Utils.escape', kind: 'method' }),
    aCandidate({ path: 'lib/rack/lint.rb', symbol: 'Rack.Lint', kind: 'class' }),
  ]
  const { suggestions } = await suggest(anAnalysis({ testCandidates }))
  expect(suggestions[0]?.example_code).toContain('subject = Rack::Utils #')
  expect(suggestions[0]?.example_code).not.toContain('.new')
  expect(suggestions[1]?.example_code).toContain('Rack::Lint.new(input) # If it is a class')
})
