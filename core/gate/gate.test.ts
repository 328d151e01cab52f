import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createChangeFor } from '../changes/testing.ts'
import { createGateScene, type GateScene } from './testing.ts'

let scene: GateScene
beforeAll(async () => void (scene = await createGateScene()))
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => scene.newProject())

test('a pull request: red, then green, with the reasons in between', async () => {
  const head = await scene.push({
    'src/cart.js': scene.lines('export function total() {', '  start() // +', '  fail() // -', '}'),
  })
  const first = await scene.check({ head })
  expect(first).toMatchObject({
    state: 'pending',
    conclusion: 'pending',
    headSha: head,
    base: 'main',
    reasons: [{ rule: 'runs', outcome: 'waiting', text: 'No test has run on the commit yet.' }],
  })

  await scene.upload({ commitSha: head, tests: { adds: 'failed', removes: 'passed' } })
  const red = await scene.check({ head, waitSeconds: 20 })
  expect(red).toMatchObject({ state: 'failure', conclusion: 'neutral', mode: 'informational' })
  expect(red.reasons.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
    { rule: 'new_failures', text: '1 test fails with the change: cart › adds.' },
    { rule: 'patch', text: '1 of 2 changed lines is covered (50 %; the goal is 80 %).' },
  ])
  expect(red.figures).toMatchObject({ lines: { covered: 1, total: 2, percent: 50 }, uncovered: 1 })
  expect(red.files).toMatchObject([{ path: 'src/cart.js', uncovered: [[3, 3]], symbol: 'total' }])
  expect((await scene.files(red.id)).files[0]?.code).toEqual([{ line: 3, text: '  fail() // -' }])

  const fixed = await scene.push({ 'src/cart.js': scene.lines('export function total() {', '  start() // +', '}') })
  await scene.upload({ commitSha: fixed, tests: { adds: 'passed', removes: 'passed' } })
  expect(await scene.check({ head: fixed, waitSeconds: 20 })).toMatchObject({ state: 'success', conclusion: 'success' })
})

test('a test that failed before the change, and a muted one, do not fail the gate', async () => {
  const base = await scene.repository.git('rev-parse', 'main')
  await scene.upload({
    commitSha: base,
    branch: 'main',
    tests: { adds: 'failed', removes: 'passed', counts: 'failed' },
  })
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, tests: { adds: 'failed', removes: 'passed', counts: 'passed' } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({
    state: 'success',
    figures: { failures: { freshCount: 0, known: 1, muted: 0 } },
  })
  await scene.upload({ commitSha: head, tests: { removes: 'failed' } })
  const { state, reasons } = await scene.check({ head, waitSeconds: 20 })
  expect({ state, text: reasons[0]?.text }).toEqual({
    state: 'failure',
    text: '1 test fails with the change: cart › removes.',
  })
})

test('a test that failed and passes in a later run of the commit is new flaky, not failing', async () => {
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, tests: { adds: 'failed', removes: 'passed' } })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({
    state: 'failure',
    reasons: [{ rule: 'new_flaky', text: '1 test both failed and passed on this commit: cart › adds.' }, ...rest(3)],
  })
  await scene.policy({ rules: { noNewFlaky: false } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({ state: 'success' })
})

const rest = (count: number) => Array.from({ length: count }, () => expect.anything())

test('reports that name files from another folder are matched by their end, or by a prefix', async () => {
  await scene.newProject({ 'README.md': 'x\n', 'packages/shop/src/base.js': 'one +\n' })
  const head = await scene.push({ 'packages/shop/src/cart.js': 'one +\ntwo -\n' })
  await scene.upload({ commitSha: head, rename: (path) => path.replace('packages/shop/', '') })
  const found = await scene.check({ head, waitSeconds: 20 })
  expect(found.figures).toMatchObject({
    lines: { covered: 1, total: 2 },
    matched: [{ path: 'packages/shop/src/cart.js', reported: 'src/cart.js' }],
  })

  const other = await scene.push({ 'packages/shop/src/other.js': 'one +\n' })
  await scene.policy({ rules: { requireMeasured: true } })
  await scene.upload({ commitSha: other, rename: (path) => path.replace('packages/shop/src', 'build/lib') })
  const lost = await scene.check({ head: other, waitSeconds: 20 })
  expect(lost).toMatchObject({ state: 'failure', figures: { lines: { percent: null }, unmeasuredCount: 2 } })
  expect(lost.reasons.find(({ rule }) => rule === 'unmeasured')?.fix).toContain(
    'Add {"report":"build/lib/","repository":"packages/shop/src/"} to `pathPrefixes`',
  )
  await scene.policy({ pathPrefixes: [{ report: 'build/lib/', repository: 'packages/shop/src/' }] })
  expect(await scene.check({ head: other, waitSeconds: 20 })).toMatchObject({
    figures: { lines: { covered: 2, total: 3 }, unmeasuredCount: 0 },
  })
})

test('coverage waits for the uploads that the project expects, or for the word that no more come', async () => {
  await scene.policy({ uploads: { names: ['unit', 'e2e'] } })
  const head = await scene.push({ 'src/cart.js': 'one +\ntwo -\n' })
  await scene.upload({ commitSha: head, name: 'unit', tests: { adds: 'passed' } })
  const early = await scene.check({ head })
  expect(early).toMatchObject({ state: 'pending' })
  expect(early.reasons.find(({ rule }) => rule === 'uploads')).toMatchObject({
    outcome: 'waiting',
    text: 'An upload is missing: e2e.',
  })
  expect(early.reasons.some(({ rule }) => rule === 'patch')).toBe(false)
  const finish = () => scene.client.gate.finishUploads.mutate({ projectId: scene.projectId, commitSha: head })
  expect(await finish()).toEqual(await finish())
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({ state: 'failure' })
})

test('the project is compared with its base, and removed code counts apart', async () => {
  await scene.newProject({
    'src/a.js': scene.lines('1 +', '2 +', '3 +', '4 +'),
    'src/b.js': scene.lines('1 +', '2 -', '3 -', '4 -'),
  })
  const base = await scene.repository.git('rev-parse', 'main')
  await scene.upload({ commitSha: base, branch: 'main', tests: { adds: 'passed' } })
  await scene.repository.git('rm', '-q', 'src/a.js')
  const head = await scene.push({})
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  const gate = await scene.check({ head, waitSeconds: 20 })
  expect(gate).toMatchObject({
    state: 'success',
    figures: {
      lines: { covered: 0, total: 0, percent: null },
      project: { head: 25, base: 62.5, change: -37.5, fromRemoved: -37.5, baseSha: base },
    },
  })
})

test('a gate that waits longer than its deadline ends with an error', async () => {
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  const { id } = await scene.check({ head })
  await scene.app.dataSource.query(`UPDATE gates SET deadline_at = now() - interval '1 minute' WHERE id = $1`, [id])
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({
    state: 'error',
    conclusion: 'neutral',
    reasons: [{ rule: 'runs', outcome: 'waiting' }],
  })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({ state: 'success' })
})

test('a commit without a base in common, and a base that does not exist, are errors with the reason', async () => {
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  expect(await scene.check({ head, base: 'nowhere', waitSeconds: 20 })).toMatchObject({
    state: 'error',
    reasons: [{ rule: 'runs', outcome: 'error', text: expect.stringContaining('nowhere') }, ...rest(2)],
  })
  await expect(scene.check({ head: 'no-such-branch' })).rejects.toThrow('head:')
  await expect(scene.check({ head, snapshotId: 'x' })).rejects.toThrow('send at most one')
  await expect(scene.check({ pullRequest: 12 })).rejects.toThrow('heard nothing of pull request 12')
  const tooLarge = { projectId: scene.projectId, pullRequest: 2 ** 31 }
  await expect(scene.client.gate.list.query(tooLarge)).rejects.toThrow('pullRequest:')
})

test('a gate whose commits could not be compared compares them again when they are there', async () => {
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  expect(await scene.check({ head, base: 'later', waitSeconds: 20 })).toMatchObject({ state: 'error' })
  const { gates } = await scene.client.gate.list.query({ projectId: scene.projectId, branch: 'feature' })
  expect(gates).toMatchObject([{ headSha: head, base: 'later' }])
  await scene.repository.git('branch', 'later', 'main')
  expect(await scene.check({ head, base: 'later', waitSeconds: 20 })).toMatchObject({
    state: 'success',
    figures: { lines: { covered: 1, total: 1 } },
  })
})

test('comments and blank lines do not count, although a report says that they are covered', async () => {
  const remarks = ['// one +', '', '/* two +', ' * three +', ' */', '// four -']
  const head = await scene.push({ 'src/cart.js': scene.lines(...remarks, 'code() // +', 'code() // -') })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({
    figures: { lines: { covered: 1, total: 2 } },
    files: [{ path: 'src/cart.js', uncovered: [[8, 8]] }],
  })
  const remarksOnly = await scene.push({ 'src/cart.js': scene.lines(...remarks, '// +', 'code() // +', 'code() // -') })
  await scene.upload({ commitSha: remarksOnly, tests: { adds: 'passed' } })
  const { figures } = await scene.check({ head: remarksOnly, base: head, waitSeconds: 20 })
  expect(figures?.lines).toEqual({ covered: 0, total: 0, percent: null })
})

test('a policy has few globs with few stars, and components with different names', async () => {
  const component = { name: 'a', paths: [], upload: null, patchTarget: null, maxUncovered: null }
  const components = (...paths: string[][]) =>
    paths.map((own, index) => ({ ...component, name: `c${index}`, paths: own }))
  await expect(scene.policy({ ignore: ['**a'.repeat(13)] })).rejects.toThrow('at most 12 groups of stars')
  const many = Array.from({ length: 11 }, () => Array.from({ length: 50 }, (_, index) => `src/${index}/**`))
  await expect(scene.policy({ components: components(...many) })).rejects.toThrow('at most 500 globs together')
  await expect(scene.policy({ components: [component, component] })).rejects.toThrow('the same name')
})

test('what CI did not upload before it said that no more comes is named', async () => {
  await scene.policy({ uploads: { names: ['unit', 'e2e'] } })
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, name: 'unit', tests: { adds: 'passed' } })
  await scene.client.gate.finishUploads.mutate({ projectId: scene.projectId, commitSha: head })
  const { reasons } = await scene.check({ head, waitSeconds: 20 })
  expect(reasons.find(({ rule }) => rule === 'uploads')).toMatchObject({
    outcome: 'nothing',
    text: 'CI said that no more uploads come. An upload is missing: e2e.',
  })
})

test('components and ignored files have a say by their globs', async () => {
  await scene.policy({
    ignore: ['src/generated/**'],
    components: [{ name: 'payment', paths: ['src/pay/**'], upload: null, patchTarget: 100, maxUncovered: null }],
    rules: { patchTarget: 50 },
  })
  const head = await scene.push({
    'src/generated/api.js': scene.lines('1 -', '2 -', '3 -'),
    'src/pay/card.js': scene.lines('1 +', '2 +', '3 -'),
  })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({
    state: 'failure',
    figures: { lines: { covered: 2, total: 3 } },
    reasons: [{ rule: 'component', component: 'payment', outcome: 'failed' }, ...rest(4)],
  })
})

test('a preview shows what another policy would have decided', async () => {
  const head = await scene.push({ 'src/cart.js': scene.lines('1 +', '2 +', '3 +', '4 -') })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  const gate = await scene.check({ head, waitSeconds: 20 })
  expect(gate.state).toBe('failure')
  const preview = (policy: object) => scene.client.gate.previewPolicy.query({ projectId: scene.projectId, policy })
  expect(await preview({ mode: 'enforced', rules: { patchTarget: 70 } })).toMatchObject({
    before: { neutral: 1 },
    after: { success: 1 },
    changed: [{ gateId: gate.id, from: 'neutral', to: 'success' }],
    examined: 1,
  })
  expect(await preview({ mode: 'enforced' })).toMatchObject({ after: { failure: 1 } })
})

test('uploads at the same time are all known by the decision', async () => {
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  const { id } = await scene.check({ head })
  const names = Array.from({ length: 12 }, (_, index) => `part ${index}`)
  await Promise.all(names.map((name) => scene.upload({ commitSha: head, name, tests: { [name]: 'passed' } })))
  const gate = await scene.check({ head, waitSeconds: 20 })
  expect(gate).toMatchObject({ id, state: 'success', isOutdated: false })
  expect(gate.figures?.uploads.names.toSorted()).toEqual(names.toSorted())
})

test('an event tells about each new decision, and about none that stays', async () => {
  await scene.client.webhooks.create.mutate({
    projectId: scene.projectId,
    url: 'https://receiver.example.com/x',
    events: ['gate.decided'],
  })
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, tests: { adds: 'failed' } })
  await scene.check({ head, waitSeconds: 20 })
  await scene.upload({ commitSha: head, name: 'other', tests: { counts: 'passed' } })
  await scene.check({ head, waitSeconds: 20 })
  const events = await scene.app.dataSource.query(
    `SELECT envelope::jsonb -> 'data' ->> 'state' AS state FROM events WHERE type = 'gate.decided' AND project_id = $1`,
    [scene.projectId],
  )
  expect(events).toEqual([{ state: 'failure' }])
})

test('a gate names the verification that decided, also if an earlier decision did not', async () => {
  await scene.policy({ rules: { requireProof: true } })
  const headSha = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: headSha, tests: { adds: 'passed' } })
  const { id, baseSha } = await scene.check({ head: headSha })
  // As decisions were stored before they named it.
  await scene.app.dataSource.query(`UPDATE gates SET figures = figures - 'proof' WHERE id = $1`, [id])
  expect((await scene.client.gate.get.query({ gateId: id })).figures?.proof).toBeNull()

  const { projectId } = scene
  const verified = { status: 'completed', verdict: 'unproved', completedAt: new Date() } as const
  const { id: changeId } = await createChangeFor(scene.app, { projectId, headSha, baseSha, ...verified })
  const gate = await scene.check({ head: headSha, waitSeconds: 20 })
  expect(gate).toMatchObject({ id, state: 'failure', figures: { proof: { verdict: 'unproved', changeId } } })
})
