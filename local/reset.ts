/** `npm run db:reset -- --yes`: deletes everything in the database. */
import { migrate } from '../core/migrate.ts'
import { withDatabase } from './database.ts'
import { exitWith } from './launch-error.ts'

if (!process.argv.includes('--yes')) {
  exitWith(['this deletes every project, token and result; to confirm, run npm run db:reset -- --yes'])
}
if (process.env['NODE_ENV'] === 'production') exitWith(['this command does not delete a production database'])

await withDatabase(async (dataSource) => {
  await dataSource.query('DROP SCHEMA IF EXISTS pgboss CASCADE')
  await dataSource.query('DROP SCHEMA public CASCADE')
  await dataSource.query('CREATE SCHEMA public')
  await migrate(dataSource)
  process.stdout.write('Deleted everything in the database and created the latest schema.\n')
})
