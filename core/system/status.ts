import packageInfo from '../../package.json' with { type: 'json' }
import type { Context } from '../base/context.ts'
import { connectionOf } from './connect.ts'
import type { SystemStatus } from './schema.ts'

/** Whether this server and what it needs work. Tells nothing of whose it is, nor, but for local mode, where its parts are. */
export async function systemStatus({ checks, config, now }: Context): Promise<SystemStatus> {
  const [{ queues, ...database }, storage, ai, executor] = await Promise.all([
    checks.database(),
    checks.storage(),
    checks.ai(),
    checks.executor(),
  ])
  const { version } = packageInfo
  const queue = queues?.runs ?? null
  const time = now().toISOString()
  const parts = { database, storage, ai, executor, queue, queues, connect: connectionOf(config) }
  return { version, time, local: config.local, ...parts, sendsMail: config.mail.smtpUrl !== undefined }
}
