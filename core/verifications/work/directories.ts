import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Context } from '../../base/context.ts'
import { sweepFolders } from '../../workspaces/sweep.ts'
import { VerificationEntity } from '../entity.ts'

const verificationsDirectory = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'verifications')

/** Where one attempt at a verification works on this machine. All of it is gone when it has ended. */
export const verificationDirectory = (config: Pick<Config, 'dataDir'>, id: string, attempt: number) =>
  join(verificationsDirectory(config), `${id}.${attempt}`)

/** Removes what workers of this machine that died have left. */
export function sweepVerifications({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): Promise<void> {
  const verifications = db.getRepository(VerificationEntity)
  return sweepFolders(verificationsDirectory(config), log, (id, attempt) =>
    verifications.existsBy({ id, attempt, status: 'running' }),
  )
}
