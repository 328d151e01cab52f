import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAi } from '../testing/ai-service.ts'
import { createVerificationScene, type VerificationScene } from './testing/scene.ts'

const opened = new AsyncDisposableStack()
let scene: VerificationScene
beforeAll(async () => {
  const ai = opened.use(await startAi())
  scene = opened.use(await createVerificationScene({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } }))
})
afterAll(() => opened.disposeAsync())

const durations = {
  'package.json': JSON.stringify({ name: 'durations', type: 'module', scripts: { test: 'node --test' } }),
  'src/parse.js': `const units = { s: 1, m: 60, h: 3600 }

export function parseDuration(text, max = 86_400) {
  if (typeof text !== 'string') throw new TypeError('Expected a string')
  const match = /^([0-9]+)([smh])$/.exec(text)
  if (!match) {
    throw new RangeError('Not a duration: ' + text)
  }
  const seconds = Number(match[1]) * units[match[2]]
  if (seconds > max) {
    return max
  }
  return seconds
}
`,
  'src/format.js': `export function formatDuration(seconds) {
  if (seconds < 60) return seconds + 's'
  if (seconds < 3600) return Math.floor(seconds / 60) + 'm'
  return Math.floor(seconds / 3600) + 'h'
}
`,
  'test/durations.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration } from '../src/format.js'
import { parseDuration } from '../src/parse.js'

test('there and back', () => {
  for (const text of ['5s', '5m', '5h']) assert.equal(formatDuration(parseDuration(text)), text)
})
`,
}

const written = {
  filePath: 'test/parse.test.js',
  code: `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration } from '../src/parse.js'

test('refuses what is no text', () => {
  assert.throws(() => parseDuration(5), new TypeError('Expected a string'))
})
test('refuses what is no duration', () => {
  for (const text of ['', '5', 'm', '5d', '-5m']) {
    assert.throws(() => parseDuration(text), new RangeError('Not a duration: ' + text))
  }
})
`,
}

const anId = expect.any(String)
const openCases = [
  { id: anId, line: 4, condition: "typeof text !== 'string'", outcome: 'throws', covered: false },
  { id: anId, line: 6, condition: '!match', outcome: 'throws', covered: false },
  { id: anId, line: 10, condition: 'seconds > max', outcome: 'returns', covered: false },
]

test('a test for two suggested cases is accepted for the lines and branches that it gains, and the cases are gone', async () => {
  const { client } = scene
  const { id: projectId, repository } = await scene.project(durations)
  const suggest = (measure = false) => client.analysis.suggestTests.mutate({ projectId, measure })
  /** The cases that were measured: the value of a parameter cannot be. */
  const casesOf = ({ suggestions }: Awaited<ReturnType<typeof suggest>>) =>
    suggestions.flatMap(({ target, cases = [] }) =>
      cases.filter(({ covered }) => covered !== null).map((one) => ({ symbol: target?.symbol, ...one })),
    )

  const estimated = await suggest()
  expect(estimated).toMatchObject({
    coverage: null,
    suggestions: [{ target: { symbol: 'parseDuration' } }, { target: { symbol: 'formatDuration' } }],
  })
  expect(casesOf(estimated)).toEqual([])

  const first = await scene.run(projectId)
  expect(first, await scene.log(first.id)).toMatchObject({ reportedStatus: 'PASSED', coverageFigures: { files: 2 } })
  const measured = await suggest(true)
  expect(measured).toMatchObject({ coverage: { behind: 0 }, measurement: { runId: null, problem: null } })
  expect(casesOf(measured)).toMatchObject(openCases.map((one) => ({ symbol: 'parseDuration', ...one })))

  const verification = await scene.verify(projectId, written, {
    suggestionId: measured.suggestions[0]?.id,
    repeats: 2,
    mutants: 6,
  })
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'accepted',
    evidence: {
      reason: 'kills_mutants',
      summary: expect.stringContaining('It covers 1 line and 1 branch that no other test covers.'),
      target: { path: 'src/parse.js', symbol: 'parseDuration', startLine: 3, endLine: 14 },
      coverage: { newTargetLines: '7', newTargetBranches: 1, newTargetBranchLines: '4' },
    },
  })

  expect((await suggest()).suggestions.map(({ target }) => target?.symbol)).not.toContain('parseDuration')
  await repository.commit({ [written.filePath]: written.code })
  await scene.run(projectId)
  await client.analysis.analyzeRepository.mutate({ projectId })
  const later = await suggest()
  expect(later).toMatchObject({ coverage: { behind: 0 }, suggestions: [{ id: measured.suggestions[0]?.id }] })
  expect(casesOf(later)).toMatchObject(openCases.slice(2))
})
