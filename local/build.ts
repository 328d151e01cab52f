/** `npm run build`, and `prepare` in `npm ci`: builds the dashboard and bundles the programs, unless their sources are the same. */
import { buildPrograms } from '../packaging/build-programs.ts'
import { buildDashboard } from './dashboard/build.ts'

for (const [name, build] of Object.entries({ dashboard: buildDashboard, programs: buildPrograms })) {
  const startedAt = performance.now()
  const built = await build()
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  process.stdout.write(built ? `Built the ${name} in ${seconds} s.\n` : `Up to date: the ${name}.\n`)
}
