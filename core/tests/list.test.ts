import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createHealthScene, failing } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

test('lists on request only the tests that are not healthy or have failed', async () => {
  const { client, project, upload, judged } = await createHealthScene(app)
  const passing = { calm: 'passed', failedOnce: 'passed', breaks: 'passed' } as const
  for (let hoursAgo = 40; hoursAgo > 28; hoursAgo--) await upload({ tests: passing, hoursAgo })
  await upload({ tests: { ...passing, failedOnce: failing(), breaks: failing() }, hoursAgo: 20 })
  for (const hoursAgo of [19, 18]) await upload({ tests: { ...passing, breaks: failing() }, hoursAgo })
  await judged()
  const list = async (notable: boolean) => {
    const { tests, pagination } = await client.tests.list.query({ projectId: project.id, notable })
    expect(pagination.total).toBe(tests.length)
    return tests.map(({ name, health }) => [name, health])
  }
  expect(await list(true)).toEqual([
    ['breaks', 'broken'],
    ['failedOnce', 'healthy'],
  ])
  expect(await list(false)).toHaveLength(3)
})

test('counts the tests in quarantine, not the quarantines', async () => {
  const { client, project, upload, judged } = await createHealthScene(app)
  const projectId = project.id
  for (const variant of ['linux', 'windows']) {
    await upload({ tests: { adds: 'passed', pays: 'passed' }, commit: 'one', fields: { variant } })
  }
  await judged()
  const list = (quarantine?: 'active') => client.tests.list.query({ projectId, quarantine })
  const idOf = async (wanted: string) => (await list()).tests.find(({ name }) => name === wanted)?.testId ?? ''
  const mute = async (name: string, variant?: string) => {
    const { id } = await client.quarantine.request.mutate({
      projectId,
      testId: await idOf(name),
      variant,
      reason: 'slow',
    })
    return client.quarantine.grant.mutate({ quarantineId: id })
  }
  await mute('adds', 'linux')
  expect(await list('active')).toMatchObject({ quarantined: 1, pagination: { total: 1 } })
  // All variants, one of which is in quarantine already.
  await mute('adds')
  await mute('pays')
  expect(await list('active')).toMatchObject({ quarantined: 4, pagination: { total: 4 } })
})
