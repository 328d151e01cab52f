/** `npm run db:migrate`: migrates the database of DATABASE_URL, or of local mode. */
import { migrate } from '../core/migrate.ts'
import { withDatabase } from './database.ts'

await withDatabase(async (dataSource) => {
  const pending = await dataSource.showMigrations()
  await migrate(dataSource)
  process.stdout.write(
    pending ? 'Migrated the database to the latest schema.\n' : 'The schema is already up to date.\n',
  )
})
