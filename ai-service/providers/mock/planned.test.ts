import { expect, test } from 'vitest'
import type { TestingPart } from '../../../engines/test-plan/schema.ts'
import { aCandidate, aFile, anAnalysis } from '../../testing/analysis.ts'
import { createMockProvider } from '../mock.ts'

const { signal } = new AbortController()

/** What the mock suggests for a function of a project that is tested like this. */
async function suggestedFor(path: string, tests: string[], testing: Partial<TestingPart>, detected: string[] = []) {
  const analysis = anAnalysis({
    files: [aFile(path), ...tests.map((test) => aFile(test, { tags: ['test'] }))],
    testCandidates: [aCandidate({ path, symbol: 'run', nearestTests: tests.slice(0, 1) })],
  })
  const part = { directory: '', ecosystem: 'javascript', framework: 'unknown', command: 'make test', ...testing }
  const summary = { ...analysis.summary, testFrameworks: detected, testing: [part] }
  const answer = await createMockProvider().suggestTests({ ...analysis, summary }, { maxSuggestions: 1, signal })
  const [suggestion] = answer.suggestions
  if (!suggestion) throw new Error('nothing was suggested')
  return suggestion
}

test.each([
  ['tape', "from 'tape'"],
  ['tap', "from 'tap'"],
  ['ava', "from 'ava'"],
  ['uvu', "from 'uvu/assert'"],
  ['qunit', 'QUnit.test('],
  ['jasmine', 'describe('],
])('a project that runs %s gets examples of it, whatever else its manifests name', async (framework, expected) => {
  const { rationale, example_code } = await suggestedFor('lib/run.js', ['test/a.js'], { framework }, [
    'vitest',
    'mocha',
  ])
  expect(rationale).toContain(`test/run.js (${framework})`)
  expect(example_code).toContain(expected)
})

test('names the file that the command collects', async () => {
  const python = { ecosystem: 'python', framework: 'pytest', command: 'pytest', testFiles: ['test.py'] }
  const { rationale } = await suggestedFor('slug/run.py', ['test.py'], python, ['unittest'])
  expect(rationale).toContain('Add to test.py (pytest).')
})
