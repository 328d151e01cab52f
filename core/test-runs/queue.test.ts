import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runSettings } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createRunScene } from './testing/scene.ts'

const settings = { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'] }
const files = { 'tests.sh': `sleep 0.5; echo '<testsuite><testcase name="a"/></testsuite>' > junit.xml` }

test('runs the runs of an owner in order, next to those of others, and shows why runs wait', async () => {
  await using scene = await createRunScene({
    runs: { ...runSettings, runConcurrency: 2, runsPerOwner: 1 },
  })
  const { id: projectId, repository } = await scene.project(files, settings)
  const other = await createUser(scene.app)
  const theirs = await createProjectFor(scene.app, { user: other, repository: repository.path })
  const client = scene.app.client(await createTokenFor(scene.app, { user: other }))
  await client.projects.updateProjectSettings.mutate({ projectId: theirs.id, settings })

  const mine = []
  for (let count = 0; count < 3; count++) mine.push(await scene.client.testRuns.trigger.mutate({ projectId }))
  const foreign = await client.testRuns.trigger.mutate({ projectId: theirs.id })

  const seen = { together: false, reasons: new Set<string>(), max: 0 }
  for (;;) {
    const runs = await Promise.all(mine.map(({ id }) => scene.client.testRuns.get.query({ runId: id })))
    // At one moment: between two questions one may end and the next begin.
    const listed = await scene.client.testRuns.list.query({ projectId, status: 'RUNNING' })
    const running = listed.runs
    seen.max = Math.max(seen.max, running.length)
    for (const { queue } of runs) if (queue) seen.reasons.add(queue.reason)
    const { status } = await client.testRuns.get.query({ runId: foreign.id })
    if (status === 'RUNNING' && running.length > 0) seen.together = true
    if (runs.every(({ completedAt }) => completedAt !== null)) break
    await sleep(30)
  }
  expect(seen).toMatchObject({ together: true, max: 1 })
  expect([...seen.reasons]).toContain('1 run of your projects is running, which is the maximum.')
  const ended = await Promise.all(mine.map(({ id }) => scene.waitFor(id)))
  expect(ended.map(({ reportedStatus }) => reportedStatus)).toEqual(['PASSED', 'PASSED', 'PASSED'])
  const starts = ended.map(({ startedAt }) => startedAt ?? '')
  expect(starts.toSorted()).toEqual(starts)
  expect(await client.testRuns.get.query({ runId: foreign.id, waitSeconds: 20 })).toMatchObject({
    reportedStatus: 'PASSED',
  })
})
