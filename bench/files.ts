/**
 * Downloads a file of 100 MB over loopback with one reader and with several. Compares Assay's `/files`, which looks up
 * token, project and row, with `http.createServer` and `pipeline`. Memory is that of the server process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { createFileFor } from '../core/files/testing/create-file.ts'
import { createLog } from '../core/base/log.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { median, printTable } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 9)
const size = 100_000_000
const readers = [1, 8]

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const environment = {
  ...process.env,
  NODE_ENV: 'production',
  DATABASE_URL: postgres.url,
  DATA_DIR: directory,
  STORAGE_URL: `file:${directory}/files`,
  SECRET_KEY: 'a key for the bench that is long enough to be one',
  BASE_URL: 'http://127.0.0.1:4000',
  PORT: '0',
  RATE_LIMIT: 'off',
}
const { config, problems } = readConfig(environment)
if (!config) throw new Error(problems.join('; '))
await using app = await createApp({ ...config, role: 'web' }, { log: createLog('silent') })
const user = await createUser(app)
const project = await createProjectFor(app, { user })
const { storageKey } = await createFileFor(app, {
  projectId: project.id,
  name: 'large.bin',
  content: Buffer.alloc(size),
})
const token = await createTokenFor(app, { user })

interface Server {
  child: ChildProcess
  url: string
  memoryBefore: number
  /** Bytes per second of each round, by the number of readers. */
  rates: Map<number, number[]>
}
const servers: Record<string, Server> = {
  Assay: await start('core/main.ts', `/files/${project.id}/run-1/large.bin`),
  'createServer + pipeline': await start('bench/files/plain.ts', '/'),
}

for (let round = 0; round <= rounds; round++) {
  for (const count of readers) {
    for (const server of Object.values(servers)) {
      const startedAt = performance.now()
      await Promise.all(Array.from({ length: count }, () => download(server)))
      const rate = (count * size) / ((performance.now() - startedAt) / 1_000)
      if (round === 0) server.memoryBefore = await memory(server, 'VmRSS') // Warms up.
      else server.rates.set(count, [...(server.rates.get(count) ?? []), rate])
    }
  }
}

const plain = servers['createServer + pipeline']?.rates
/** Alternates between the servers, since the load of the machine varies. */
const ratio = (rates: number[], count: number) =>
  median(rates.map((rate, round) => rate / (plain?.get(count)?.[round] ?? Number.NaN)))
const rows = Object.entries(servers).flatMap(([name, server]) =>
  [...server.rates].map(([count, rates]) => [
    name,
    count,
    (median(rates) / 1e6).toFixed(0),
    `${(Math.min(...rates) / 1e6).toFixed(0)} to ${(Math.max(...rates) / 1e6).toFixed(0)}`,
    ratio(rates, count).toFixed(2),
  ]),
)
printTable(['server', 'readers', 'MB/s', 'min to max', 'of plain'], rows)
for (const [name, server] of Object.entries(servers)) {
  const max = await memory(server, 'VmHWM')
  const sent = rounds * readers.reduce((sum, count) => sum + count, 0) * size
  const now = await memory(server, 'VmRSS')
  console.log(
    `\n${name}: ${server.memoryBefore} MB of memory after the first round, ${now} MB after ${sent / 1e9} GB more; at most ${max} MB.`,
  )
}

async function start(script: string, path: string): Promise<Server> {
  const FILE = join(directory, 'files', storageKey.slice(0, 2), storageKey)
  const child = fork(script, { env: { ...environment, FILE, FILE_SIZE: String(size), LOG_LEVEL: 'silent' } })
  cleanUp.defer(async () => {
    child.kill()
    await once(child, 'exit')
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, url: `http://127.0.0.1:${port}${path}`, memoryBefore: 0, rates: new Map() }
}

function download({ url }: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      let received = 0
      response.on('data', (chunk: Buffer) => void (received += chunk.length))
      response.on('error', reject)
      response.on('end', () => (received === size ? resolve() : reject(new Error(`${received} of ${size} bytes`))))
    }).on('error', reject)
  })
}

/** Reads a memory figure of a process from /proc, in MB. */
async function memory({ child }: Server, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_000)
}
