import { afterAll, beforeAll, expect, test } from 'vitest'
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

const few = { repeats: 2, mutants: 4 }
const shown = (change: unknown) => JSON.stringify(change, null, 1).slice(0, 6_000)

test('a fix with a test that fails without it is proved, and the same change is known from then on', async () => {
  const headSha = await scene.change(repository, { ...fixed, 'test/border.test.js': border })
  const baseSha = await repository.git('rev-parse', 'main')
  const change = await scene.verify(projectId, few)
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
  expect(change.evidence?.mutation?.killed).toBeGreaterThan(0)
  const { tests = [] } = change.evidence ?? {}
  expect(tests.find(({ test: name }) => name === 'gives a discount from 100')).toMatchObject({
    transition: 'new_passing',
    isOfChange: 'added',
    withoutChange: 'fails',
  })
  expect(tests.find(({ test: name }) => name === 'gives none below')).toMatchObject({ withoutChange: 'passes' })

  const again = await scene.verify(projectId, { ...few, head: headSha, base: baseSha })
  expect(again).toMatchObject({ verdict: 'proved', sameAs: change.id, evidence: change.evidence })
  const refactored = await scene.verify(projectId, { ...few, expect: 'same' })
  expect(refactored).toMatchObject({ sameAs: null, evidence: { base: { cached: true }, head: { cached: true } } })
})
