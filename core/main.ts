import { createApp } from './app.ts'
import { ensureLocalOwner } from './auth/local-owner.ts'
import { readConfig } from './config.ts'
import { describeStartFailure, exitWith, stopOnSignal } from './process.ts'

const { config, problems } = readConfig(process.env)
if (!config) exitWith(problems)

try {
  const app = await createApp(config)
  stopOnSignal(app)
  const owner = config.local ? await ensureLocalOwner(app.services, app.dataSource.manager) : undefined
  const { port } = await app.listen()
  app.services.log.info({ port, role: config.role }, 'core is ready')
  process.send?.({ ready: true, port, tokenFile: owner?.tokenFile })
} catch (error) {
  exitWith([describeStartFailure(error, config)])
}
