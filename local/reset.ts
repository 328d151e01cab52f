/** `npm run db:reset -- --yes`: empties the database. Everything in it is lost. */
import { migrate } from '../core/migrate.ts'
import { withDatabase } from './database.ts'
import { exitWith } from './launch-error.ts'

if (!process.argv.includes('--yes')) {
  exitWith(['this deletes every project, token and result; if you mean it: npm run db:reset -- --yes'])
}
if (process.env['NODE_ENV'] === 'production') exitWith(['a production database is not emptied by a command'])

await withDatabase(async (dataSource) => {
  await dataSource.query('DROP SCHEMA IF EXISTS pgboss CASCADE')
  await dataSource.query('DROP SCHEMA public CASCADE')
  await dataSource.query('CREATE SCHEMA public')
  await migrate(dataSource)
  process.stdout.write('The database is empty, its schema up to date.\n')
})
