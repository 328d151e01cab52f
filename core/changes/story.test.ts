import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendTree } from '../snapshots/testing.ts'
import { changeQueue } from './queue.ts'
import { createChangeFor } from './testing.ts'
import { border, cart, fixed, testFile } from './testing/cart.ts'
import { type ChangeScene, createChangeScene } from './testing/scene.ts'

const opened = new AsyncDisposableStack()
let scene: ChangeScene
let projectId: string
let repository: Awaited<ReturnType<ChangeScene['project']>>['repository']
beforeAll(async () => {
  scene = opened.use(await createChangeScene())
  ;({ id: projectId, repository } = await scene.project(cart))
})
afterAll(() => opened.disposeAsync())

/** Each test says what more it needs: every run takes time. */
const few = { repeats: 1, mutants: 0 }
const shown = (change: unknown) => JSON.stringify(change, null, 1).slice(0, 6_000)

test('a fix with a test that fails without it is proved, and the same change is known from then on', async () => {
  const headSha = await scene.change(repository, { ...fixed, 'test/border.test.js': border })
  const baseSha = await repository.git('rev-parse', 'main')
  const how = { repeats: 2, mutants: 3 }
  const change = await scene.verify(projectId, how)
  expect(change, shown(change)).toMatchObject({
    status: 'completed',
    verdict: 'proved',
    isProvisional: false,
    base: 'main',
    baseSha,
    head: 'topic',
    headSha,
    sameAs: null,
    error: null,
    evidence: {
      base: { commitSha: baseSha, outcome: 'passed', totalTests: 3, cached: false },
      head: { commitSha: headSha, outcome: 'passed', totalTests: 6, cached: false },
      files: { code: 1, tests: 1, other: 0 },
      patch: { lines: 1, coveredLines: 1, uncovered: [] },
      mutation: { survived: 0 },
      notRun: [],
      command: 'node --test test/border.test.js',
    },
  })
  // The old code is one of the mutants, which is tried and counted once.
  const none = { tried: 0, killed: 0, timedOut: 0, invalid: 0, survived: 0 }
  expect(change.evidence?.mutation).toMatchObject({ found: 3, tried: 3, killed: 3, restored: none })
  expect(change.evidence?.summary).toContain('They detect 3 of 3 mutants of the changed lines.')
  const { tests = [] } = change.evidence ?? {}
  expect(tests.find(({ test: name }) => name === 'gives a discount from 100')).toMatchObject({
    transition: 'new_passing',
    isOfChange: 'added',
    withoutChange: 'fails',
  })
  expect(tests.find(({ test: name }) => name === 'gives none below')).toMatchObject({ withoutChange: 'passes' })

  const again = await scene.verify(projectId, { ...how, head: headSha, base: baseSha })
  expect(again).toMatchObject({ verdict: 'proved', sameAs: change.id, evidence: change.evidence })
  const refactored = await scene.verify(projectId, { ...few, expect: 'same' })
  expect(refactored).toMatchObject({ sameAs: null, evidence: { base: { cached: true }, head: { cached: true } } })
})

/** Verifies a change of the project in a few runs. */
async function verdictOn(files: Parameters<ChangeScene['change']>[1], how: Parameters<ChangeScene['verify']>[1] = {}) {
  await scene.change(repository, files)
  return scene.verify(projectId, { ...few, ...how })
}

test('a fix without a test is unproved', async () => {
  const change = await verdictOn(fixed)
  expect(change, shown(change)).toMatchObject({
    verdict: 'unproved',
    evidence: { counts: { passes_to_passes: 3 }, mutation: null, command: 'node --test' },
  })
})

test('a changed line that ran only when the code was loaded is run by no test', async () => {
  const owed = 'export const paid = (sum) => sum > 0\nexport const owed = (sum) => sum * 2\n'
  const calls = `import assert from 'node:assert'
import test from 'node:test'
import { paid } from '../src/owed.js'
test('pays', () => assert.equal(paid(1), true))
`
  const change = await verdictOn({ 'src/owed.js': owed, 'test/owed.test.js': calls }, { mutants: 4 })
  expect(change.evidence?.patch, shown(change)).toMatchObject({
    lines: 2,
    coveredLines: 1,
    uncovered: [{ path: 'src/owed.js', startLine: 2, endLine: 2 }],
  })
  expect(change.evidence?.mutation?.survivors.filter(({ line }) => line === 2)).toEqual([])
})

test('changed lines that no test runs have their cases', async () => {
  const files = {
    'src/owed.js': `export function owed(sum) {
  if (sum < 0) {
    throw new RangeError('A cart has no debts')
  }
  return sum
}
`,
    'test/owed.test.js': testFile("import { owed } from '../src/owed.js'", { 'owes it': 'assert.equal(owed(1), 1)' }),
  }
  const change = await verdictOn(files)
  expect(change.evidence?.patch, shown(change)).toMatchObject({
    lines: 4,
    coveredLines: 3,
    branches: 1,
    coveredBranches: 0,
    partial: [{ path: 'src/owed.js', line: 2, taken: 0, total: 1 }],
    uncovered: [{ path: 'src/owed.js', startLine: 3, cases: ['sum < 0: throws RangeError: A cart has no debts'] }],
  })
})

test('a test that passes without the fix too proves nothing, and is named', async () => {
  const weak = testFile("import { total } from '../src/cart.js'", { 'is a number': 'assert.ok(total([100]) > 0)' })
  const change = await verdictOn({ ...fixed, 'test/weak.test.js': weak })
  expect(change, shown(change)).toMatchObject({ verdict: 'unproved' })
  expect(change.evidence?.tests).toMatchObject([{ test: 'is a number', withoutChange: 'passes', isOfChange: 'added' }])
  expect(JSON.stringify(change.evidence?.missing)).toContain('is a number')
})

test('a change that breaks another test is broken, with the test, its cause and its place', async () => {
  const change = await verdictOn(
    {
      'src/cart.js': fixed['src/cart.js'].replace('sum - 10', 'sum - 20'),
      'test/border.test.js': border.replaceAll('90', '80').replace('91', '81'),
    },
    { repeats: 2, mutants: 1 },
  )
  expect(change, shown(change)).toMatchObject({ verdict: 'broken', evidence: { mutation: null } })
  expect(change.evidence?.tests[0]).toMatchObject({
    test: 'gives a discount',
    file: 'test/cart.test.js',
    transition: 'broken',
    failure: { kind: 'assertion', file: 'test/cart.test.js', line: 10 },
  })
  expect(change.evidence?.command).toBe('node --test test/border.test.js test/cart.test.js')
})

test('a syntax error is not built or breaks the tests that import the file, with the words of Node', async () => {
  const change = await verdictOn({ 'src/cart.js': 'export function total(prices) {\n  return prices.\n}\n' })
  expect(change, shown(change)).toMatchObject({ verdict: 'broken', evidence: { reason: 'cannot_be_loaded' } })
  expect(shown(change)).toContain('SyntaxError')
})

test('a change of documentation runs nothing', async () => {
  const change = await verdictOn({ 'README.md': '# The cart\n' })
  expect(change, shown(change)).toMatchObject({
    verdict: 'no_code_changed',
    evidence: { head: { outcome: 'not_run' }, base: { outcome: 'not_run' }, files: { code: 0, tests: 0, other: 1 } },
  })
})

test('a flaky test of the change is flaky', async () => {
  // The first run measures coverage, and the repetition does not.
  const flaky = testFile("import { total } from '../src/cart.js'", {
    'passes sometimes': 'assert.equal(total([100]), process.env.NODE_V8_COVERAGE ? 90 : 91)',
  })
  const change = await verdictOn({ ...fixed, 'test/flaky.test.js': flaky }, { repeats: 2 })
  expect(change, shown(change)).toMatchObject({ verdict: 'flaky' })
})

test('a change whose base is not there, or that is none, fails in words', async () => {
  const unknown = await scene.verify(projectId, { base: 'nowhere' })
  expect(unknown).toMatchObject({ status: 'failed', verdict: null, error: { code: 'base_not_found' } })
  expect(unknown.error?.message).toMatch(/^base: the repository has no branch, tag or commit "nowhere"/)
  const early = await scene.verify(projectId, { base: 'HEAD~99999' })
  expect(early.error).toEqual({
    code: 'base_not_found',
    message: 'base: "HEAD~99999" is before the first commit of the history. Use a later commit, such as HEAD~1.',
  })
  const same = await scene.verify(projectId, { base: 'topic' })
  expect(same).toMatchObject({ status: 'failed', error: { code: 'nothing_to_compare' } })
  const first = await scene.verify(projectId, { head: 'main' })
  expect(first).toMatchObject({ status: 'failed', error: { code: 'nothing_to_compare' } })
})

test('a refactoring is proved by the tests that pass before and after it, and by mutants', async () => {
  const code = cart['src/cart.js'].replace(
    'let sum = 0\n  for (const price of prices) sum += price\n',
    'const sum = prices.reduce((all, price) => all + price, 0)\n',
  )
  const change = await verdictOn({ 'src/cart.js': code }, { expect: 'same', mutants: 1 })
  expect(change, shown(change)).toMatchObject({
    verdict: 'proved',
    intent: 'same',
    evidence: { counts: { broken: 0 } },
  })
})

test('after the budget there is a provisional verdict, which says what did not run yet, and the final one follows', async () => {
  await scene.change(repository, { ...fixed, 'test/border.test.js': border })
  // A call can ask for no less than 10 seconds.
  const wanted = { projectId, head: 'topic', repeats: 3, mutants: 1, budgetSeconds: 0 }
  const { id: changeId } = await createChangeFor(scene.app, wanted)
  const { jobs } = scene.app.services
  await jobs.enqueue(scene.app.dataSource.manager, changeQueue, { changeId })
  const first = await scene.client.changes.get.query({ changeId, waitSeconds: 45 })
  expect(first, shown(first)).toMatchObject({ status: 'running', isProvisional: true, completedAt: null })
  expect(first.verdict).not.toBe('proved')
  expect(first.evidence?.notRun.length).toBeGreaterThan(0)
  const last = await scene.waitForChange(changeId)
  expect(last, shown(last)).toMatchObject({ status: 'completed', verdict: 'proved', isProvisional: false })
  expect(last.evidence?.notRun).toEqual([])
})

test('a provisional verdict that the database cannot take at once does not end the work', async () => {
  await scene.change(repository, fixed)
  const { dataSource } = scene.app
  // A sequence counts also what is rolled back.
  await dataSource.query(`
    CREATE SEQUENCE provisional_verdicts;
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('provisional_verdicts') = 1 THEN RAISE EXCEPTION 'restarting' USING ERRCODE = '57P01'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fail_once BEFORE UPDATE OF verdict ON changes FOR EACH ROW
      WHEN (NEW.verdict IS NOT NULL AND NEW.status = 'running') EXECUTE FUNCTION fail_once()`)
  const { id: changeId } = await createChangeFor(scene.app, {
    ...few,
    projectId,
    head: 'topic',
    budgetSeconds: 0,
    again: true,
  })
  await scene.app.services.jobs.enqueue(dataSource.manager, changeQueue, { changeId })
  const change = await scene.waitForChange(changeId)
  await dataSource.query('DROP TRIGGER fail_once ON changes')
  expect(change, shown(change)).toMatchObject({ status: 'completed', verdict: 'unproved' })
  expect(await dataSource.query('SELECT last_value::int > 1 AS failed FROM provisional_verdicts')).toEqual([
    { failed: true },
  ])
})

test('a verdict that may be due to a busy machine or network is measured again', async () => {
  const settings = { installCommand: 'sh install.sh' }
  const { id, repository: own } = await scene.project({ ...cart, 'install.sh': 'exit 1\n' }, settings)
  await scene.change(own, fixed)
  const first = await scene.verify(id, few)
  expect(first, shown(first)).toMatchObject({ verdict: 'unproved', evidence: { reason: 'install_failed' } })
  const second = await scene.verify(id, few)
  expect(second, shown(second)).toMatchObject({ verdict: 'unproved', sameAs: null })
})

test('a project that was added on a feature branch is compared with where this branch left the default one', async () => {
  const { id, repository: own } = await scene.project(cart)
  const baseSha = await own.git('rev-parse', 'main')
  await own.git('checkout', '--quiet', '-b', 'feature')
  await own.commit({ 'README.md': '# One\n' })
  const headSha = await own.commit({ 'README.md': '# Two\n' })
  await scene.client.projects.updateProject.mutate({ projectId: id, branch: 'feature' })
  const expected = { verdict: 'no_code_changed', base: 'main', baseSha }
  const committed = await scene.verify(id, { head: headSha, ...few })
  expect(committed, shown(committed)).toMatchObject(expected)
  await own.write({ 'README.md': '# Three\n' })
  const snapshot = await sendTree(scene.app, scene.token, id, own)
  const uncommitted = await scene.verify(id, { head: undefined, snapshotId: snapshot.id, ...few })
  expect(uncommitted, shown(uncommitted)).toMatchObject(expected)
  // Another branch than the feature branch is compared with what the project names.
  await own.git('checkout', '--quiet', '--force', '-b', 'other')
  const other = await scene.verify(id, { head: await own.commit({ 'README.md': '# Four\n' }), ...few })
  expect(other, shown(other)).toMatchObject({ base: 'feature', baseSha: headSha })
})

test('a snapshot is compared with where its checkout left the branch', async () => {
  await repository.git('checkout', '--quiet', '-B', 'work', 'main')
  await repository.write({ 'README.md': '# The cart\n' })
  const snapshot = await sendTree(scene.app, scene.token, projectId, repository)
  await repository.git('reset', '--hard', '--quiet')
  const change = await scene.verify(projectId, { head: undefined, snapshotId: snapshot.id, ...few })
  expect(change, shown(change)).toMatchObject({
    verdict: 'no_code_changed',
    head: null,
    snapshotId: snapshot.id,
    headSha: snapshot.commitSha,
    baseSha: await repository.git('rev-parse', 'main'),
  })
})
