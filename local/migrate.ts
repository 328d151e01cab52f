/** `npm run db:migrate`: brings the schema of DATABASE_URL up to date, or that of local mode. */
import { migrate } from '../core/migrate.ts'
import { withDatabase } from './database.ts'

await withDatabase(async (dataSource) => {
  const pending = await dataSource.showMigrations()
  await migrate(dataSource)
  process.stdout.write(pending ? 'The schema is up to date now.\n' : 'The schema was up to date.\n')
})
