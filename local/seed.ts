/** `npm run seed`: adds this repository as a sample project of the local owner. */
import { resolve } from 'node:path'
import { createApp } from '../core/app.ts'
import { ensureLocalOwner } from '../core/identity/local-owner/local-owner.ts'
import { UserEntity } from '../core/identity/users/entity.ts'
import { createLog } from '../core/base/log.ts'
import { ProjectEntity } from '../core/projects/entity.ts'
import { createProjectFor } from '../core/testing/factories.ts'
import { withConfig } from './database.ts'

const repository = resolve(import.meta.dirname, '..')

await withConfig(async (config) => {
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('warn') })
  await ensureLocalOwner(app.services, app.dataSource.manager)
  const [owner] = await app.dataSource.getRepository(UserEntity).find({ order: { id: 'ASC' }, take: 1 })
  if (!owner) throw new Error('the owner that was just created does not exist')
  const exists = await app.dataSource.getRepository(ProjectEntity).existsBy({ userId: owner.id, repository })
  if (!exists) await createProjectFor(app, { user: owner, name: 'Assay', repository })
  process.stdout.write(exists ? 'The project Assay already exists.\n' : 'Added the project Assay.\n')
})
