import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createScene, token } from './testing/scene.ts'

let hosts: { withApp: boolean; host: CodeHost; app: TestApp }[]
beforeAll(async () => {
  hosts = await Promise.all(
    [true, false].map(async (withApp) => {
      const repositories = [{ owner: 'octocat', name: 'shop', auto_init: true }]
      const host = await startCodeHost({ repositories, withApp })
      return { withApp, host, app: await createTestApp({ codeHost: host.config }) }
    }),
  )
})
afterAll(async () => {
  for (const { app, host } of hosts) {
    await app[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  }
})
beforeEach(() => {
  for (const { host } of hosts) {
    host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
    host.fault = undefined
  }
})

const hostOf = (withApp: boolean) => hosts.find((each) => each.withApp === withApp) ?? expect.fail()
const marked = (projectId: string, body: string) => `<!-- assay ${projectId} -->\n${body}`

test.each([true, false])('edits one comment in place (with an app: %s)', async (withApp) => {
  const { app, host } = hostOf(withApp)
  const scene = await createScene(app, host)
  await scene.comment({ body: 'Not wanted.', create: false })
  await scene.settled()
  expect(await scene.comments()).toEqual([])
  for (const body of ['Three lines are not covered.', 'One line is not covered.']) {
    await scene.comment({ body })
    await scene.settled()
  }
  await scene.comment({ body: 'All is well.', create: false })
  await scene.settled()
  expect(await scene.comments()).toMatchObject([
    { body: marked(scene.projectId, 'All is well.'), user: { login: withApp ? 'assay[bot]' : 'octocat' } },
  ])
})

test.each([true, false])('finds its comment again after its row was lost (with an app: %s)', async (withApp) => {
  const { app, host } = hostOf(withApp)
  const scene = await createScene(app, host)
  // Another user copies the marker.
  const path = `/repos/octocat/shop/issues/${scene.pullRequest}/comments`
  host.tokens.set('of-hubot', { login: 'hubot', scopes: ['repo'] })
  await fetch(`${host.url}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer of-hubot', 'content-type': 'application/json' },
    body: JSON.stringify({ body: marked(scene.projectId, 'Mine.') }),
  })
  await scene.comment({ body: 'First.' })
  await scene.settled()
  await app.dataSource.query('DELETE FROM code_host_posts')
  await scene.comment({ body: 'Second.', create: false })
  await scene.settled()
  expect((await scene.comments()).map(({ body }) => body)).toEqual([
    marked(scene.projectId, 'Mine.'),
    marked(scene.projectId, 'Second.'),
  ])
})

test('a comment that somebody deleted is created again only if it is wanted', async () => {
  const { app, host } = hostOf(true)
  const scene = await createScene(app, host)
  await scene.comment()
  await scene.settled()
  const [comment] = await scene.comments()
  await host.call('DELETE', `/repos/octocat/shop/issues/comments/${comment.id}`)
  await scene.comment({ body: 'Better.', create: false })
  await scene.settled()
  expect(await scene.comments()).toEqual([])
  await scene.comment({ body: 'Worse.', create: true })
  await scene.settled()
  expect(await scene.comments()).toMatchObject([{ body: marked(scene.projectId, 'Worse.') }])
})

test('does not create a second comment when the answer to the first was lost', async () => {
  const { app, host } = hostOf(true)
  const scene = await createScene(app, host)
  host.fault = { kind: 'cut', times: 1, match: /^POST .*\/comments$/ }
  await scene.comment({ body: 'First.' })
  await scene.comment({ body: 'Second.' })
  await scene.settled()
  expect(await scene.comments()).toMatchObject([{ body: marked(scene.projectId, 'Second.') }])
})

test('two projects have a comment each', async () => {
  const { app, host } = hostOf(true)
  const scene = await createScene(app, host)
  const other = await createScene(app, host)
  await scene.comment()
  await other.comment({ pullRequest: scene.pullRequest })
  await scene.settled()
  await other.settled()
  expect(await scene.comments()).toHaveLength(2)
})

test('gives up on a pull request that does not exist', async () => {
  const { app, host } = hostOf(true)
  const scene = await createScene(app, host)
  await scene.comment({ pullRequest: 4_711 })
  await scene.settled()
  const lines = app.logLines.filter((line) => line.includes(scene.projectId) && line.includes('gave up'))
  expect(lines).toHaveLength(1)
})
