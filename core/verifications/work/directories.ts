import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Context } from '../../base/context.ts'
import { sweepFolders } from '../../workspaces/sweep.ts'
import { VerificationEntity } from '../entity.ts'

const verificationsDirectory = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'verifications')

/** Returns the folder in which one attempt of a verification works. It is deleted at the end of the attempt. */
export const verificationDirectory = (config: Pick<Config, 'dataDir'>, id: string, attempt: number) =>
  join(verificationsDirectory(config), `${id}.${attempt}`)

/** Removes the folders of verifications whose worker on this machine stopped unexpectedly. */
export function sweepVerifications({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): Promise<void> {
  const verifications = db.getRepository(VerificationEntity)
  return sweepFolders(verificationsDirectory(config), log, (id, attempt) =>
    verifications.existsBy({ id, attempt, status: 'running' }),
  )
}
