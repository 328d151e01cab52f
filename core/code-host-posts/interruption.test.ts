import { expect, test, vi } from 'vitest'
import { createTestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createDataDirectory, startWorker } from '../testing/worker.ts'
import { annotationsOf, createScene, settled, token } from './testing/scene.ts'

vi.setConfig({ testTimeout: 300_000 })

/** A worker is killed while this call waits for its answer, before or after it had its effect. */
const steps: [string, NonNullable<CodeHost['fault']>][] = [
  ['before the check run is created', { kind: 'stall', times: 1, match: /^POST .*\/check-runs$/ }],
  ['after the check run was created', { kind: 'swallow', times: 1, match: /^POST .*\/check-runs$/ }],
  ['before a batch of annotations', { kind: 'stall', times: 1, match: /^PATCH .*\/check-runs\// }],
  ['after a batch of annotations', { kind: 'swallow', times: 1, match: /^PATCH .*\/check-runs\// }],
  ['after the comment was created', { kind: 'swallow', times: 1, match: /^POST .*\/comments$/ }],
  ['after the comment was edited', { kind: 'swallow', times: 1, match: /^PATCH .*\/comments\// }],
]

test.each([true, false])(
  'a worker that is killed at any step posts everything once (with an app: %s)',
  async (withApp) => {
    await using opened = new AsyncDisposableStack()
    const repositories = [{ owner: 'octocat', name: 'shop', auto_init: true }]
    const host = opened.use(await startCodeHost({ repositories, withApp }))
    host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
    const app = opened.use(await createTestApp({ codeHost: host.config, role: 'web' }))
    const data = opened.use(await createDataDirectory())
    const { client, url, apiUrl, app: gitHubApp } = host.config
    const settings = {
      DATA_DIR: data.path,
      CODE_HOST_CLIENT_ID: client.id,
      CODE_HOST_CLIENT_SECRET: client.secret,
      CODE_HOST_URL: url,
      CODE_HOST_API_URL: apiUrl,
      ...(gitHubApp ? { CODE_HOST_APP_ID: gitHubApp.id, CODE_HOST_APP_PRIVATE_KEY: gitHubApp.privateKey } : {}),
    }
    const status: (typeof steps)[number] = [
      'after the status was posted',
      { kind: 'swallow', times: 1, match: /^POST .*\/statuses\// },
    ]
    const own = withApp ? steps : [status, ...steps.slice(-2)]
    let worker = await startWorker(app, settings)
    opened.defer(() => worker[Symbol.asyncDispose]())
    for (const [name, fault] of own) {
      const scene = await createScene(app, host)
      const isEdited = name.endsWith('edited')
      if (isEdited) {
        await scene.comment({ body: 'First.' })
        await settled(app, scene.projectId)
      }
      host.requests = []
      host.fault = { ...fault }
      await scene.report({ state: 'failure', annotations: annotationsOf(120) })
      await scene.comment({ body: 'Second.' })
      await expect.poll(() => host.fault?.times, { timeout: 60_000 }).toBe(0)
      worker.kill()
      await worker[Symbol.asyncDispose]()
      worker = await startWorker(app, settings)
      await settled(app, scene.projectId, 120_000)
      const runs = await scene.checkRuns()
      const lines = runs.flatMap(({ id }) => (host.annotations.get(id) ?? []).map(({ start_line: line }) => line))
      expect([name, runs.length, scene.statuses().length]).toEqual([name, withApp ? 1 : 0, withApp ? 0 : 1])
      expect([name, lines]).toEqual([name, withApp ? annotationsOf(120).map(({ startLine }) => startLine) : []])
      const bodies = (await scene.comments()).map(({ body }) => body.split('\n')[1])
      expect([name, bodies]).toEqual([name, ['Second.']])
    }
  },
)
