import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createGateScene, type GateScene } from './testing.ts'

let scene: GateScene
beforeAll(async () => void (scene = await createGateScene()))
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => scene.newProject())

test('coverage of a merge that CI tested is shown at the lines of the head', async () => {
  const { repository } = scene
  const head = await scene.push({ 'src/base.js': 'one +\nmine -\nmine +\n' })
  await repository.git('checkout', '-q', 'main')
  await repository.commit({ 'src/base.js': 'zero +\nzero +\none +\n' })
  await repository.git('checkout', '-q', '-b', 'merge')
  await repository.git('merge', '-q', '--no-edit', 'feature')
  const merge = await repository.git('rev-parse', 'HEAD')
  await scene.upload({ commitSha: head, fields: { testedSha: merge, pullRequest: '7' } })
  const { gates } = await scene.client.gate.list.query({ projectId: scene.projectId, pullRequest: 7 })
  expect(gates).toMatchObject([{ headSha: head, pullRequest: 7, base: 'main' }])
  const gate = await scene.check({ pullRequest: 7, waitSeconds: 20 })
  expect(gate).toMatchObject({
    figures: { lines: { covered: 1, total: 2 } },
    files: [{ path: 'src/base.js', uncovered: [[2, 2]] }],
  })
})

test('a merge that is gone leaves the changed lines unknown', async () => {
  const head = await scene.push({ 'src/base.js': 'one +\nmine -\n' })
  await scene.upload({ commitSha: head, fields: { testedSha: 'f'.repeat(40) } })
  const { state, reasons } = await scene.check({ head, waitSeconds: 20 })
  expect(state).toBe('error')
  expect(reasons[0]).toMatchObject({
    rule: 'patch',
    outcome: 'error',
    text: expect.stringContaining('another version of src/base.js'),
  })
})

test.each([
  ['the base', (repository: GateScene['repository']) => repository.git('rev-parse', 'main')],
  [
    'a commit with another history',
    async (repository: GateScene['repository']) => {
      await repository.git('checkout', '-q', '--orphan', 'other')
      return repository.commit({ 'src/cart.js': 'one +\n' })
    },
  ],
])('results of %s, which does not contain the head, are no results of the head', async (_name, commitOf) => {
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  const testedSha = await commitOf(scene.repository)
  await scene.policy({ rules: { patchTarget: null } })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' }, fields: { testedSha } })
  const { state, reasons } = await scene.check({ head, waitSeconds: 20 })
  expect(state).toBe('error')
  expect(reasons[0]).toMatchObject({
    rule: 'runs',
    text: expect.stringContaining(`it tested ${testedSha.slice(0, 12)}, which does not contain`),
  })
})

test('a merge of several branches contains the head, and so may one without its history', async () => {
  const { repository } = scene
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  for (const name of ['second', 'third']) {
    await repository.git('checkout', '-q', '-b', name, 'main')
    await repository.commit({ [`src/${name}.js`]: 'one +\n' })
  }
  await repository.git('checkout', '-q', '-b', 'merge', 'main')
  await repository.commit({ 'src/main.js': 'one +\n' })
  await repository.git('merge', '-q', '--no-edit', 'feature', 'second', 'third')
  const merge = await repository.git('rev-parse', 'HEAD')
  await scene.upload({ commitSha: head, tests: { adds: 'passed' }, fields: { testedSha: merge } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({ state: 'success' })
  await repository.write({ '.git/shallow': `${merge}\n` })
  await scene.upload({ commitSha: head, name: 'again', tests: { adds: 'passed' }, fields: { testedSha: merge } })
  expect(await scene.check({ head, waitSeconds: 20 })).toMatchObject({
    state: 'success',
    figures: { runs: { ended: 2 } },
  })
})
