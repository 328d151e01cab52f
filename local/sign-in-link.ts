/** `npm run sign-in-link`: a new link that signs the owner of local mode in, while Assay runs. */
import { makeSignInLink } from '../core/identity/local-owner/local-link.ts'
import { readConfig } from '../core/config.ts'
import { withRunningDatabase } from './database.ts'
import { exitWith } from './launch-error.ts'
import { findRunning } from './running.ts'

if (process.env['NODE_ENV'] === 'production') {
  exitWith(['sign-in links are for local mode alone; in production people sign in with the code host or a password'])
}
const { config, problems } = readConfig({ EMBEDDED_DATABASE_URL: 'postgres://embedded', ...process.env })
if (!config) exitWith(problems)
const running = await findRunning(config.dataDir)
if (!running) exitWith([`Assay does not run on ${config.dataDir}; npm start starts it and prints a sign-in link`])

await withRunningDatabase(async ({ manager }) => {
  const link = await makeSignInLink(manager, running.baseUrl, new Date())
  process.stdout.write(`Open ${link}\n(good once, for 10 minutes)\n`)
})
