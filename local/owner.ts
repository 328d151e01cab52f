/** `npm run owner`: creates an account for programs and its token. Local mode does this at its first start. */
import { createApp } from '../core/app.ts'
import { ensureLocalOwner } from '../core/identity/local-owner/local-owner.ts'
import { createLog } from '../core/base/log.ts'
import { withConfig } from './database.ts'
import { exitWith } from './launch-error.ts'

if (process.argv.length > 2) exitWith(['usage: npm run owner; it takes no arguments'])
await withConfig(async (config) => {
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('warn') })
  const { tokenFile } = await ensureLocalOwner(app.services, app.dataSource.manager)
  process.stdout.write(`Wrote the owner's token to ${tokenFile}. It has all scopes and expires in one year.\n`)
})
