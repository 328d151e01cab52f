/**
 * Makes 12,000 requests of one browser with 20 tabs to two processes on one database. Counts session rotations and
 * requests that are wrongly rejected.
 */
import { join } from 'node:path'
import { createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { createLog } from '../core/base/log.ts'
import { SessionEntity } from '../core/identity/sessions/entity.ts'
import { browse } from '../core/testing/browser.ts'
import { createSessionFor } from '../core/testing/factories.ts'
import { startChild } from '../local/child.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'

const requests = Number(process.env['REQUESTS'] ?? 12_000)
const settings = [
  { interval: 10_000, grace: 10_000 },
  { interval: 1_000, grace: 1_000 },
  { interval: 500, grace: 1_000 },
]

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)

const rows: (string | number)[][] = []
for (const { interval, grace } of settings) {
  const environment = {
    ...process.env,
    DATABASE_URL: postgres.url,
    DATA_DIR: directory,
    PORT: '0',
    RATE_LIMIT: 'off',
    SESSION_ROTATION_INTERVAL_MS: String(interval),
    SESSION_ROTATION_GRACE_MS: String(grace),
  }
  const { config, problems } = readConfig(environment)
  if (!config) throw new Error(problems.join('; '))
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('silent') })
  const { cookie, sessionId } = await createSessionFor(app)
  await using children = new AsyncDisposableStack()
  const urls: string[] = []
  for (const name of ['one', 'two']) {
    const logFile = join(directory, `${name}.log`)
    const child = await startChild({ name, script: 'core/main.ts', environment, logFile })
    children.defer(() => child.stop())
    urls.push(`http://127.0.0.1:${child.ready.port}`)
  }
  const { statuses } = await browse({ urls, cookie, tabs: 20, requests, maxLatencyMs: 200 })
  const { generation, createdAt, revokedAt } = await app.dataSource
    .getRepository(SessionEntity)
    .findOneByOrFail({ id: sessionId })
  rows.push([
    `${interval} / ${grace}`,
    requests,
    statuses[200] ?? 0,
    statuses[401] ?? 0,
    generation,
    Math.floor((Date.now() - createdAt.getTime()) / interval),
    revokedAt ? 'yes' : 'no',
  ])
}
printTable(['interval / grace ms', 'requests', '200', '401', 'rotations', 'intervals', 'signed out'], rows)
