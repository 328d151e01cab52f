/**
 * Sends 200 snapshots of one project at once, each with the client's own retries, and checks that every one is stored and
 * that nothing else is left. Exits with 1 otherwise.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCoreClient } from '../client/core-client.ts'
import { sendBody } from '../client/send-body.ts'
import { incomingDirectory, projectSnapshots } from '../core/snapshots/directories.ts'
import { packType } from '../core/snapshots/receive-pack.ts'
import { Snapshot } from '../core/snapshots/schema.ts'
import { createGitRepository } from '../engines/source/testing/git-repository.ts'
import { objectOf, packOf, treeOf } from '../engines/source/testing/handmade-pack.ts'
import { startChild } from '../local/child.ts'
import { percentile } from './webhooks/scene.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'

const count = Number(process.env['SNAPSHOTS'] ?? 200)

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const config = { dataDir: join(directory, 'data') }
const server = await startChild({
  name: 'core',
  script: 'core/main.ts',
  environment: {
    ...process.env,
    EMBEDDED_DATABASE_URL: postgres.url,
    DATA_DIR: config.dataDir,
    PORT: '0',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
  },
  logFile: join(directory, 'core.log'),
})
cleanUp.defer(() => server.stop())

const file = objectOf('blob', 'hello\n')
const repository = cleanUp.use(await createGitRepository({ 'file.txt': file.content.toString() }))
const base = await repository.git('rev-parse', 'HEAD')
const credentials = {
  baseUrl: `http://127.0.0.1:${server.ready.port}`,
  token: (await readFile(join(config.dataDir, 'token'), 'utf8')).trim(),
}
const core = createCoreClient({ ...credentials, requestId: 'bench', requestTimeoutMs: 60_000 })
const { id: projectId } = await core.projects.createProject.mutate({ name: 'Bench', repository: repository.path })

const packs = Array.from({ length: count }, (_, index) => {
  const note = objectOf('blob', `snapshot ${index}\n`)
  const tree = treeOf(['100644', 'file.txt', file], ['100644', 'note.txt', note])
  return { tree: tree.id, pack: Uint8Array.from(packOf([note, tree])) }
})

let attempts = 0
const seconds: number[] = []
const startedAt = performance.now()
const sent = await Promise.allSettled(
  packs.map(async ({ tree, pack }) => {
    await sendBody({
      credentials,
      path: `/api/v1/projects/${projectId}/snapshots?${new URLSearchParams({ base, tree }).toString()}`,
      headers: { 'content-type': packType },
      body: () => {
        attempts++
        return pack
      },
      answer: Snapshot,
      signal: new AbortController().signal,
    })
    seconds.push((performance.now() - startedAt) / 1_000)
  }),
)
const failures = sent.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
const { pagination } = await core.snapshots.list.query({ projectId, limit: 1 })
const folders = await readdir(projectSnapshots(config, projectId))
const left = await readdir(incomingDirectory(config))

printTable(
  ['sent at once', 'stored', 'folders', 'left incoming', 'attempts', 'first s', 'median s', 'last s'],
  [
    [
      count,
      pagination.total,
      folders.length,
      left.length,
      attempts,
      ...[0, 0.5, 1].map((share) => percentile(seconds, share).toFixed(1)),
    ],
  ],
)
if (failures.length > 0) console.log(`${failures.length} failed, such as: ${failures[0]}`)
if (pagination.total !== count || folders.length !== count || left.length > 0) process.exitCode = 1
