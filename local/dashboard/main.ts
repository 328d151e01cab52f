/** `npm run build`, and `prepare` in `npm ci`: builds the dashboard if its sources changed. */
import { buildDashboard } from './build.ts'

const startedAt = performance.now()
const built = await buildDashboard()
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
process.stdout.write(built ? `Built the dashboard in ${seconds} s.\n` : 'The dashboard is up to date.\n')
