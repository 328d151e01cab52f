import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createVerificationScene, type VerificationScene } from '../testing/scene.ts'

// Each of them starts dozens of processes, which a machine that has much else to do takes its time for.
vi.setConfig({ testTimeout: 90_000 })

let scene: VerificationScene
/** A project for the tests that need none of their own: they share its baseline. */
let projectId: string
beforeAll(async () => {
  scene = await createVerificationScene()
  projectId = (await scene.project(files)).id
})
afterAll(() => scene[Symbol.asyncDispose]())

const manifest = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } })
const cart = `export function total(items) {
  let sum = 0
  for (const { price, count } of items) {
    if (count > 0) sum += price * count
  }
  return sum
}

export function discount(sum, percent) {
  return percent >= 100 ? 0 : sum - (sum * percent) / 100
}
`
const oldTest = `import { test } from 'node:test'
import assert from 'node:assert'
import { discount } from './cart.js'
test('takes off', () => assert.equal(discount(200, 10), 180))
`
const files = { 'package.json': manifest, 'cart.js': cart, 'cart.test.js': oldTest }
const filePath = 'total.test.js'
const briefly = { repeats: 2, mutants: 4 }
const written = (...lines: string[]) => `import { test } from 'node:test'
import assert from 'node:assert'
import { total } from './cart.js'
${lines.join('\n')}
`
const good = written(
  "test('adds up', () => assert.equal(total([{ price: 2, count: 3 }, { price: 5, count: 1 }]), 11))",
  "test('leaves out', () => assert.equal(total([{ price: 2, count: -1 }, { price: 1, count: 1 }]), 1))",
)

test('a test that reaches new lines and notices what is broken there is accepted, with all that shows it', async () => {
  const { id } = await scene.project(files)
  const verification = await scene.verify(id, { filePath, code: good }, { repeats: 3, mutants: 6 })
  expect(verification, JSON.stringify(verification)).toMatchObject({ status: 'completed', verdict: 'accepted' })
  const { evidence } = verification
  expect(evidence).toMatchObject({
    target: { path: 'cart.js' },
    framework: 'node:test',
    baseline: { outcome: 'passed', totalTests: 1, failedTests: 0, cached: false },
    collected: { total: 2, names: ['adds up', 'leaves out'] },
    coverage: { targetLinesReached: '1-4,6,9' },
    style: { mocks: 0 },
  })
  // Nothing of the test can differ between runs, so two of each are enough.
  expect(evidence?.dependsOn).toEqual([])
  expect(evidence?.runs.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
    ...Array.from({ length: 2 }, () => 'alone passed'),
    ...Array.from({ length: 2 }, () => 'suite passed'),
  ])
  expect(evidence?.command).toContain(filePath)
  expect(evidence?.mutation?.killed).toBeGreaterThan(0)
  expect(evidence?.coverage?.newTargetLines).not.toBe('')
})

test('the verdict is about the function that the target names, and about nothing else', async () => {
  const { id } = await scene.project(files)
  const verifyFor = (symbol: string) =>
    scene.verify(id, { filePath, code: good }, { ...briefly, target: { path: 'cart.js', symbol } })
  const total = await verifyFor('total')
  expect(total, JSON.stringify(total.evidence)).toMatchObject({
    verdict: 'accepted',
    evidence: {
      target: { path: 'cart.js', symbol: 'total', startLine: expect.any(Number), endLine: expect.any(Number) },
    },
  })
  const { startLine = 0, endLine = 0 } = total.evidence?.target ?? {}
  for (const { line } of total.evidence?.mutation?.survivors ?? [])
    expect(line >= startLine && line <= endLine).toBe(true)

  const other = await verifyFor('discount')
  expect(other, JSON.stringify(other.evidence)).toMatchObject({ verdict: 'no_gain' })

  const unknown = await verifyFor('totals')
  expect(unknown).toMatchObject({
    status: 'failed',
    error: { code: 'unknown_symbol', message: expect.stringContaining('The nearest names in the file are: total, ') },
  })
})

test('the same test on the same commit gets its verdict at once, and a new one where that is wanted', async () => {
  const { id, repository } = await scene.project(files)
  const how = briefly
  const first = await scene.verify(id, { filePath, code: good }, how)
  const second = await scene.verify(id, { filePath, code: good }, how)
  expect(second).toMatchObject({ sameAs: first.id, verdict: 'accepted', evidence: first.evidence })
  expect(await scene.verify(id, { filePath, code: good }, how)).toMatchObject({ sameAs: first.id })
  const again = await scene.verify(id, { filePath, code: good }, { ...how, again: true })
  expect(again).toMatchObject({ sameAs: null, verdict: 'accepted', evidence: { baseline: { cached: true } } })
  await repository.commit({ 'README.md': 'More' })
  const later = await scene.verify(id, { filePath, code: good }, how)
  expect(later).toMatchObject({ sameAs: null, evidence: { baseline: { cached: false } } })
})

test('a test that cannot be read or is not found is not built, in the words of the runner', async () => {
  const broken = await scene.verify(projectId, { filePath, code: 'test("a", () => {' }, briefly)
  expect(broken).toMatchObject({
    status: 'completed',
    verdict: 'not_built',
    evidence: {
      coverage: null,
      mutation: null,
      style: null,
      warnings: [expect.stringContaining('could not count the assertions')],
    },
  })
  expect(`${broken.evidence?.summary} ${broken.evidence?.output}`).toContain('SyntaxError')
  expect(broken.evidence?.output).toMatch(new RegExp(`^${RegExp.escape(filePath)}:1$`, 'm'))
  const lost = await scene.verify(
    projectId,
    { filePath, code: written("import '../nowhere.js'", "test('a', () => {})") },
    briefly,
  )
  expect(lost).toMatchObject({ verdict: 'not_built' })
  expect(`${lost.evidence?.summary} ${lost.evidence?.output}`).toContain('nowhere.js')
})

test('a test that fails every time on unchanged code is a suspected bug', async () => {
  const code = written("test('counts', () => assert.equal(total([{ price: 2, count: 3 }]), 7))")
  const verification = await scene.verify(projectId, { filePath, code }, briefly)
  expect(verification).toMatchObject({ verdict: 'suspected_bug', evidence: { target: { path: 'cart.js' } } })
  const [run] = verification.evidence?.runs ?? []
  expect(run).toMatchObject({ kind: 'alone', outcome: 'failed', failures: [{ test: 'counts', kind: 'assertion' }] })
  expect(run?.failures[0]?.message).toMatch(/6/)
})

test('a test that never ends is waited for once, and the evidence names the test and the line', async () => {
  const { id } = await scene.project(files, { timeoutSeconds: 12 })
  const code = written(
    "test('waits', async () => {",
    '  setTimeout(() => {}, 600_000)',
    '  await new Promise(() => total([]))',
    '})',
  )
  const verification = await scene.verify(id, { filePath, code }, { repeats: 5, mutants: 0 })
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'suspected_bug',
    evidence: {
      reason: 'never_ends',
      summary: expect.stringContaining('`waits` at total.test.js:4'),
      runs: [{ outcome: 'timeout', failures: [{ test: 'waits', kind: 'timeout', file: filePath, line: 4 }] }],
    },
  })
})

test('a test that looks at the text of the code and not at what it does is no gain', async () => {
  const code = written(
    'total([{ price: 2, count: 3 }])',
    `test('is as it was', () => assert.equal(total.toString().length, ${cart.indexOf('\n}') + 2 - 'export '.length}))`,
  )
  expect(await scene.verify(projectId, { filePath, code }, briefly)).toMatchObject({
    verdict: 'no_gain',
    evidence: { reason: 'notices_the_text' },
  })
})

test('a test is not taken for another one whose path ends as its own', async () => {
  const failing = written("test('counts', () => assert.equal(total([]), 1))").replace('./cart', '../cart')
  const { id } = await scene.project({ ...files, 'sub/total.test.js': failing })
  expect(await scene.verify(id, { filePath, code: good }, briefly)).toMatchObject({ verdict: 'accepted' })
})

test('a test that passes in one run and fails in another is flaky', async () => {
  // Only the first run of a verification is measured, so that this one passes and the next one fails.
  const code = written("test('adds up', () => assert.ok(process.env.NODE_V8_COVERAGE && total([]) === 0))")
  const verification = await scene.verify(projectId, { filePath, code }, { repeats: 2, mutants: 0 })
  expect(verification).toMatchObject({ verdict: 'flaky' })
  const outcomes = new Set(verification.evidence?.runs.map(({ outcome }) => outcome))
  expect(outcomes).toEqual(new Set(['passed', 'failed']))
})

test('a test that notices nothing is no gain, however much it reaches', async () => {
  const silent = await scene.verify(
    projectId,
    { filePath, code: written("test('runs', () => void total([{ price: 1, count: 1 }]))") },
    briefly,
  )
  expect(silent).toMatchObject({ verdict: 'no_gain', evidence: { mutation: { killed: 0 } } })
  expect(silent.evidence?.mutation?.survivors.length).toBeGreaterThan(0)
  const trivial = await scene.verify(
    projectId,
    { filePath, code: written("test('is true', () => assert.ok(true))") },
    briefly,
  )
  expect(trivial).toMatchObject({ verdict: 'no_gain' })
})

test('a process that fails though its report says that all passed is no accepted test', async () => {
  const { id } = await scene.project({
    ...files,
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test --test-isolation=none' } }),
  })
  const code = `${good}import { after } from 'node:test'\nafter(() => { process.exitCode = 1 })\n`
  const verification = await scene.verify(id, { filePath, code }, briefly)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'not_built',
    evidence: { reason: 'fails_after_tests' },
  })
  expect(verification.evidence?.runs.map(({ outcome }) => outcome)).toEqual(['failed', 'failed'])
})

test('a coverage threshold that is missed with and without the test does not count against it', async () => {
  const { id } = await scene.project({
    ...files,
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test --test-coverage-lines=99' } }),
  })
  const verification = await scene.verify(id, { filePath, code: good }, briefly)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'accepted',
    evidence: { baseline: { outcome: 'passed' }, coverage: { targetLinesReached: '1-4,6,9' } },
  })
})

test('a limit that some runs come to is named, and no sign of chance', async () => {
  const code = `${good}if (!process.env.NODE_V8_COVERAGE) console.log('x'.repeat(11 * 2 ** 20))\n`
  const verification = await scene.verify(projectId, { filePath, code }, briefly)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'not_built',
    evidence: { reason: 'output_limit' },
  })
  expect(verification.evidence?.runs.map(({ outcome }) => outcome)).toContain('passed')
})

test('a test that breaks another one is found, and known failures do not count', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test --test-isolation=none' } }),
    'cart.js': cart,
    'a.test.js': oldTest,
    'z.test.js': `import { test } from 'node:test'
import assert from 'node:assert'
test('finds an empty shop', () => assert.equal(globalThis.shop, undefined))
test('is broken', () => assert.fail('known'))
`,
  })
  const code = written(
    "test('opens', () => {",
    '  globalThis.shop = total([])',
    '  assert.equal(globalThis.shop, 0)',
    '})',
  )
  const verification = await scene.verify(id, { filePath: 'm.test.js', code }, briefly)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'flaky',
    evidence: { reason: 'breaks_other_tests', baseline: { outcome: 'failed', knownFailures: ['is broken'] } },
  })
  expect(verification.evidence?.runs.at(-1)?.broke).toEqual(['finds an empty shop'])
})

test('the first test of a project needs none beside it', async () => {
  const { id } = await scene.project({ 'package.json': manifest, 'cart.js': cart })
  const verification = await scene.verify(id, { filePath, code: good }, briefly)
  expect(verification, JSON.stringify(verification.error)).toMatchObject({
    verdict: 'accepted',
    evidence: { baseline: { totalTests: 0 } },
  })
})

test('a test that was committed is compared with the other tests, and not with itself', async () => {
  const weak = written("test('runs', () => assert.equal(typeof total([{ price: 1, count: 1 }]), 'number'))")
  const copy = oldTest.replace('takes off', 'takes off again')
  const { id } = await scene.project({ ...files, [filePath]: good, 'weak.test.js': weak, 'copy.test.js': copy })
  const verdicts = await Promise.all(
    Object.entries({ [filePath]: good, 'weak.test.js': weak, 'copy.test.js': copy }).map(async ([path, code]) => {
      const { verdict, evidence } = await scene.verify(id, { filePath: path, code }, briefly)
      expect(evidence?.warnings).toEqual([expect.stringContaining('compared it with')])
      return [path, verdict, evidence?.reason]
    }),
  )
  expect(verdicts).toEqual([
    [filePath, 'accepted', 'kills_mutants'],
    ['weak.test.js', 'no_gain', 'says_too_little'],
    ['copy.test.js', 'no_gain', 'nothing_new'],
  ])
})

test('tests that are added to a committed file count only for what they add', async () => {
  const started = written("test('adds up', () => assert.equal(total([{ price: 2, count: 3 }]), 6))")
  const { id } = await scene.project({ 'package.json': manifest, 'cart.js': cart, [filePath]: started })
  const verify = async (code: string) => {
    const { verdict, evidence, error } = await scene.verify(id, { filePath, code }, { repeats: 2, mutants: 20 })
    expect(error).toBeNull()
    expect(evidence).toMatchObject({ extendsCommitted: true, baseline: { outcome: 'passed', totalTests: 1 } })
    expect(evidence?.warnings).toEqual([expect.stringContaining('another version of total.test.js')])
    return { verdict, reason: evidence?.reason, summary: evidence?.summary, evidence }
  }
  const discounting = started.replace('{ total }', '{ discount, total }')
  const useless = await verify(`${started}test('runs', () => assert.ok(total([{ price: 1, count: 1 }]) !== null))\n`)
  expect(useless, useless.summary).toMatchObject({ verdict: 'no_gain', reason: 'nothing_new' })
  const silent = await verify(`${discounting}test('runs', () => void discount(200, 10))\n`)
  expect(silent, silent.summary).toMatchObject({ verdict: 'no_gain', reason: 'no_assertions' })
  const unrelated = await verify(`${discounting}test('x', () => { discount(200, 10); assert.equal(total([]), 0) })\n`)
  expect(unrelated, unrelated.summary).toMatchObject({ verdict: 'no_gain', reason: 'no_assertion_noticed' })

  const good = await verify(`${discounting}test('takes off', () => assert.equal(discount(200, 10), 180))\n`)
  expect(good, good.summary).toMatchObject({
    verdict: 'accepted',
    evidence: { coverage: { newTargetLines: '10' } },
  })
  expect(good.summary).toContain('that no test of the commit covers')
  const lines = good.evidence?.mutation?.survivors.map(({ line }) => line) ?? []
  expect(lines.filter((line) => line < 10)).toEqual([])
  // The boundary in line 4, where only a branch is new.
  const sharper = await verify(
    `${started}test('leaves out', () => assert.equal(total([{ price: 2, count: -1 }, { price: 1, count: 1 }]), 1))\n`,
  )
  expect(sharper, sharper.summary).toMatchObject({
    verdict: 'accepted',
    evidence: { coverage: { newTargetLines: '' } },
  })
  expect(sharper.summary).toContain('branches that no test of the commit covers')
})

test('a test of a committed file that fails already does not count against one that is added', async () => {
  const failing = written("test('is broken', () => assert.equal(total([]), 1))")
  const { id } = await scene.project({ ...files, [filePath]: failing })
  const code = `${failing}test('adds up', () => assert.equal(total([{ price: 2, count: 3 }]), 6))\n`
  const { verdict, evidence } = await scene.verify(id, { filePath, code }, { repeats: 2, mutants: 20 })
  expect({ verdict, known: evidence?.baseline?.knownFailures }, evidence?.summary).toEqual({
    verdict: 'accepted',
    known: ['is broken'],
  })
})

test('a changed assertion that detects more than the committed one is accepted', async () => {
  const started = written("test('adds up', () => assert.ok(total([{ price: 2, count: 3 }]) > 0))")
  const { id } = await scene.project({ ...files, [filePath]: started })
  const code = started.replace(/assert\.ok\(.*$/m, 'assert.equal(total([{ price: 2, count: 3 }]), 6))')
  const { verdict, evidence } = await scene.verify(id, { filePath, code }, { repeats: 2, mutants: 20 })
  expect({ verdict, reason: evidence?.reason }, evidence?.summary).toEqual({
    verdict: 'accepted',
    reason: 'kills_mutants',
  })
})

test('the only test of a commit, verified once more, is the first', async () => {
  const { id } = await scene.project({ 'package.json': manifest, 'cart.js': cart, [filePath]: good })
  const verification = await scene.verify(id, { filePath, code: good }, briefly)
  expect(verification, JSON.stringify(verification.error)).toMatchObject({
    verdict: 'accepted',
    evidence: { baseline: { totalTests: 0 } },
  })
})

test('a committed test that others import from is measured with them, and says so', async () => {
  const shared = `${good}export const ten = 10\n`
  const user = `${oldTest.replace('200, 10', '200, ten')}import { ten } from './total.test.js'\n`
  const { id } = await scene.project({ ...files, 'cart.test.js': user, [filePath]: shared })
  const verification = await scene.verify(id, { filePath, code: shared }, briefly)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'accepted',
    evidence: { baseline: { outcome: 'passed' } },
  })
  expect(verification.evidence?.warnings.join()).toContain('need the total.test.js of the commit')
})

test('a project whose own tests cannot run gets no verdict, but the reason', async () => {
  const { id } = await scene.project(files, { testCommand: 'sh -c "echo nothing here; exit 3"' })
  const verification = await scene.verify(id, { filePath, code: good }, briefly)
  expect(verification).toMatchObject({ status: 'failed', verdict: null, error: { code: 'no_report' } })
  expect(verification.error?.message).toContain('nothing here')
  expect(await scene.verify(id, { filePath: 'cart.js', code: good }, briefly)).toMatchObject({
    status: 'failed',
    error: { code: 'invalid' },
  })
})
