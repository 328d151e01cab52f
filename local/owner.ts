/** `npm run owner`: makes the first account and a token for it, where no local mode does that by itself. */
import { createApp } from '../core/app.ts'
import { ensureLocalOwner } from '../core/auth/local-owner.ts'
import { createLog } from '../core/log.ts'
import { withConfig } from './database.ts'

await withConfig(async (config) => {
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('warn') })
  const { tokenFile } = await ensureLocalOwner(app.services, app.dataSource.manager)
  process.stdout.write(`The owner's token is in ${tokenFile}. Every scope, one year.\n`)
})
