import { createEmulator } from 'emulate'
import { expect, test } from 'vitest'
import { createTestApp, runSettings } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { freePort } from '../testing/free-port.ts'

test('processes the pings, pushes, pull requests and releases of an emulated GitHub', async () => {
  // No worker runs, so that runs stay queued.
  await using app = await createTestApp({ runs: { ...runSettings, runConcurrency: 0 } })
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const repos = [{ owner: 'octocat', name: 'shop', auto_init: true }]
  const users = [{ login: 'octocat', name: 'Mona', email: 'octocat@example.com' }]
  const emulator = await createEmulator({ service: 'github', port, baseUrl, seed: { github: { users, repos } } })
  await using closing = new AsyncDisposableStack()
  closing.defer(() => emulator.close())
  const github = async (method: string, path: string, body: object) => {
    const response = await fetch(`${baseUrl}/repos/octocat/shop${path}`, {
      method,
      headers: { authorization: 'Bearer gho_octocat', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { id: number; commit?: { sha: string } }
  }

  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, repository: `${baseUrl}/octocat/shop` })
  const client = app.client(await createTokenFor(app, { user }))
  const settings = { analyzeOnPush: false, runOn: { release: true } }
  await client.projects.updateProjectSettings.mutate({ projectId, settings })
  const { secret, url } = await client.projects.rotateInboundSecret.mutate({ projectId })
  const events = ['push', 'pull_request', 'release', 'create']
  const hook = await github('POST', '/hooks', { config: { url, secret, content_type: 'json' }, events, active: true })
  await fetch(`${baseUrl}/repos/octocat/shop/hooks/${hook.id}/pings`, {
    method: 'POST',
    headers: { authorization: 'Bearer gho_octocat' },
  })

  const content = Buffer.from('export const price = 1\n').toString('base64')
  const { commit } = await github('PUT', '/contents/price.ts', { message: 'Add a price', content })
  await github('POST', '/git/refs', { ref: 'refs/heads/feature', sha: commit?.sha })
  const { commit: head } = await github('PUT', '/contents/more.ts', { message: 'More', content, branch: 'feature' })
  await github('POST', '/pulls', { title: 'More', head: 'feature', base: 'main' })
  await github('POST', '/releases', { tag_name: 'v1.0.0', name: 'The first' })

  const list = async () => (await client.inbound.list.query({ projectId, limit: 100 })).deliveries
  const settled = async () => (await list()).filter(({ status }) => status === 'processed').length
  await expect.poll(settled).toBe(4)
  const found = await list()
  // The emulation sends deliveries concurrently, in no particular order.
  expect(found.filter(({ status }) => status === 'processed')).toEqual(
    expect.arrayContaining(
      [
        { event: 'push', branch: 'main', commitSha: commit?.sha },
        { event: 'push', branch: 'feature', commitSha: head?.sha },
        { event: 'pull_request', action: 'opened', commitSha: head?.sha, pullRequest: 1, fork: false },
        { event: 'release', action: 'published', tag: 'v1.0.0' },
      ].map((expected) => expect.objectContaining(expected)),
    ),
  )
  expect(found.filter(({ event }) => event === 'ping')).toMatchObject([{ status: 'ignored' }])
  expect(found.every(({ deliveryId }) => /^\d+$/.test(deliveryId))).toBe(true)
})
