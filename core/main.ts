import { flushCompileCache } from 'node:module'
import { createApp } from './app.ts'
import { makeSignInLink } from './identity/local-owner/local-link.ts'
import { ensureLocalOwner } from './identity/local-owner/local-owner.ts'
import { readConfig } from './config.ts'
import { completeEnvironment, describeStartFailure, exitWith, stopOnSignal } from './base/process.ts'

const { config, problems } = readConfig(await completeEnvironment())
if (!config) exitWith(problems)

try {
  const app = await createApp(config)
  stopOnSignal(app)
  const { manager } = app.dataSource
  const owner = config.local ? await ensureLocalOwner(app.services, manager) : undefined
  const { port } = await app.listen()
  // With port 0, the system has just chosen the port.
  config.baseUrl = config.baseUrl.replace(/:0$/, `:${port}`)
  const signInLink = config.local ? await makeSignInLink(manager, config.baseUrl, app.services.now()) : undefined
  app.services.log.info({ port, role: config.role }, 'core is ready')
  process.send?.({ ready: true, port, baseUrl: config.baseUrl, tokenFile: owner?.tokenFile, signInLink })
  // Takes seconds, which neither the first test run nor the first `assay doctor` should wait for.
  void app.services.checks.executor()
  // At the end of the process, V8 would have dropped the code of functions that ran only once.
  flushCompileCache()
} catch (error) {
  exitWith([describeStartFailure(error, config)])
}
