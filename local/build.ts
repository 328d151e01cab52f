/** `npm run build`, and `prepare` in `npm ci`: builds the dashboard and the MCP server, unless their sources are the same. */
import { buildMcpServer } from '../packaging/checkout-build.ts'
import { buildDashboard } from './dashboard/build.ts'

for (const [name, build] of Object.entries({ dashboard: buildDashboard, 'MCP server': buildMcpServer })) {
  const startedAt = performance.now()
  const built = await build()
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  process.stdout.write(built ? `Built the ${name} in ${seconds} s.\n` : `The ${name} is up to date.\n`)
}
