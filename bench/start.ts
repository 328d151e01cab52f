/**
 * Starts Assay with nothing configured, as `npm start` does, in a folder that it has used before: from the start of the
 * process until it prints that it is ready. The second figure is the limit: Postgres alone, and a Node that does nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startPostgres } from '../local/postgres.ts'
import { removeInstallation } from '../local/testing.ts'
import { median, printTable, recordFigure } from './report.ts'

const starts = Number(process.env['STARTS'] ?? 7)

const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'))
await chmod(folder, 0o755) // Postgres runs as another user if this process runs as root.
try {
  await startOnce()
  await startOnce() // Now the cache of compiled code is filled.
  const seconds: number[] = []
  const limits: number[] = []
  for (let round = 0; round < starts; round++) {
    limits.push(await startLimit())
    seconds.push(await startOnce())
  }
  const range = (values: number[]) => `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
  printTable(
    ['start, s', 'median', 'min to max'],
    [
      ['Assay', median(seconds).toFixed(2), range(seconds)],
      ['limit: Postgres, then an empty Node', median(limits).toFixed(2), range(limits)],
    ],
  )
  recordFigure('start', seconds)
} finally {
  await removeInstallation(folder)
}

async function startOnce(): Promise<number> {
  const { PATH, HOME } = process.env
  const startedAt = performance.now()
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../local/start.mjs')], {
    env: { PATH, HOME, DATA_DIR: folder, PORT: '14100', MCP_PORT: '14101', AI_PORT: '14102' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let printed = ''
  let seconds = Number.NaN
  for await (const chunk of child.stdout) {
    printed += String(chunk)
    if (!Number.isNaN(seconds) || !printed.includes('Assay is ready')) continue
    seconds = (performance.now() - startedAt) / 1_000
    child.kill('SIGTERM')
  }
  await ended
  if (Number.isNaN(seconds)) throw new Error(`Assay did not start:\n${printed}`)
  return seconds
}

async function startLimit(): Promise<number> {
  const startedAt = performance.now()
  const postgres = await startPostgres({ directory: join(folder, 'postgres'), logFile: join(folder, 'postgres.log') })
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close')
  const seconds = (performance.now() - startedAt) / 1_000
  await postgres.stop()
  return seconds
}
