import { createDataSource } from '../../../../ormconfig.ts'
import { readConfig } from '../../../config.ts'
import { createLog } from '../../../base/log.ts'
import { createAuditChain } from '../../../identity/audit/chainer.ts'
import { type DispatcherOptions, startDispatcher } from '../dispatcher.ts'

/** Runs only a dispatcher and reports over IPC when it is ready. Used by the benchmark and by tests that kill it. */
const { config, problems } = readConfig(process.env)
if (!config) throw new Error(problems.join('; '))
const options: DispatcherOptions = JSON.parse(process.env['DISPATCHER_OPTIONS'] ?? '{}')
const dataSource = createDataSource({ url: config.databaseUrl, poolSize: 4, onPoolError: () => {} })
await dataSource.initialize()
const log = createLog(config.logLevel)
const auditChain = createAuditChain({ config, log })
const dispatcher = startDispatcher({ config, log, now: () => new Date(), auditChain }, dataSource, options)
process.send?.({ ready: true, port: 0 })

async function stop(): Promise<void> {
  await dispatcher[Symbol.asyncDispose]()
  await auditChain[Symbol.asyncDispose]()
  await dataSource.destroy()
  process.exit(0)
}
process.once('SIGTERM', () => void stop())
process.once('disconnect', () => void stop())
