/**
 * `node browser-tests/data/main.ts`: fills the database of the running local mode with data as a team has it after some
 * weeks. `--repository <path>`, which can be repeated, uses your own repositories.
 */
import { parseArgs } from 'node:util'
import { createApp } from '../../core/app.ts'
import { createLog } from '../../core/base/log.ts'
import { withRunningDatabase } from '../../local/database.ts'
import { exitWith } from '../../local/launch-error.ts'
import { findRunning } from '../../local/running.ts'
import { fillWithData, sizes } from './fill.ts'

const { values } = parseArgs({
  options: { repository: { type: 'string', multiple: true }, small: { type: 'boolean' } },
})

await withRunningDatabase(async (_dataSource, config) => {
  const running = await findRunning(config.dataDir)
  if (!running) exitWith([`Assay is not running on ${config.dataDir}; start it with npm start`])
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('warn') })
  const startedAt = performance.now()
  const { dataSource, services } = app
  const filled = await fillWithData(
    { dataSource, services, url: running.listening },
    { ...(values.small ? sizes.small : sizes.full), ...(values.repository && { repositories: values.repository }) },
    (step) => process.stderr.write(`${step} after ${secondsSince(startedAt)} s\n`),
  )
  const addresses = filled.projects.map(({ id, name }) => `  ${name}: ${running.baseUrl}/projects/${id}`)
  process.stdout.write(`Filled the database in ${secondsSince(startedAt)} s:\n${addresses.join('\n')}\n`)
  process.stdout.write(`${JSON.stringify(filled, null, 2)}\n`)
})

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(1)
}
