/** `npm run sign-in-link`: prints a new sign-in link for the owner of a running local mode. */
import { makeSignInLink } from '../core/identity/local-owner/local-link.ts'
import { readConfig } from '../core/config.ts'
import { withRunningDatabase } from './database.ts'
import { exitWith } from './launch-error.ts'
import { findRunning } from './running.ts'

if (process.env['NODE_ENV'] === 'production') {
  exitWith(['sign-in links work only in local mode; in production, sign in with the code host or a password'])
}
const { config, problems } = readConfig({ EMBEDDED_DATABASE_URL: 'postgres://embedded', ...process.env })
if (!config) exitWith(problems)
const running = await findRunning(config.dataDir)
if (!running)
  exitWith([`Assay is not running on ${config.dataDir}; start it with npm start, which prints a sign-in link`])

await withRunningDatabase(async ({ manager }) => {
  const link = await makeSignInLink(manager, running.baseUrl, new Date())
  process.stdout.write(`Open ${link}\n(valid once, for 10 minutes)\n`)
})
