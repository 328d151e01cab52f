import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Context } from '../base/context.ts'
import { sweepFolders } from '../workspaces/sweep.ts'
import { type JudgedTable, sharedFields, tableOf } from './state.ts'

const attemptsDirectory = ({ dataDir }: Pick<Config, 'dataDir'>, table: JudgedTable) => join(dataDir, tableOf(table))

/** Returns the folder in which one attempt works. It is deleted at the end of the attempt. */
export const attemptDirectory = (
  config: Pick<Config, 'dataDir'>,
  table: JudgedTable,
  { id, attempt }: { id: string; attempt: number },
) => join(attemptsDirectory(config, table), `${id}.${attempt}`)

/** Removes the folders of attempts whose worker on this machine stopped unexpectedly. */
export function sweepAttempts(ctx: Pick<Context, 'config' | 'db' | 'log'>, table: JudgedTable): Promise<void> {
  const records = sharedFields(ctx, table)
  return sweepFolders(attemptsDirectory(ctx.config, table), ctx.log, (id, attempt) =>
    records.existsBy({ id, attempt, status: 'running' }),
  )
}
