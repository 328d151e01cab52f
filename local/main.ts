import { readAiConfig } from '../ai-service/config.ts'
import { readConfig } from '../core/config.ts'
import { readMcpConfig } from '../mcp-server/config.ts'
import { startAssay } from './assay.ts'
import { buildDashboard } from './dashboard/build.ts'
import { exitWith, LaunchError } from './launch-error.ts'
import { PostgresError } from './postgres-server.ts'
import { welcome } from './welcome.ts'

const startedAt = performance.now()
const core = readConfig({ EMBEDDED_DATABASE_URL: 'postgres://embedded', ...process.env })
const ai = readAiConfig(process.env)
const mcp = readMcpConfig(process.env)
const problems = [...core.problems, ...ai.problems, ...mcp.problems]
if (!core.config || !ai.config || !mcp.config) exitWith(problems)

try {
  const configs = { core: core.config, ai: ai.config, mcp: mcp.config }
  const assay = await startAssay(configs, process.env, buildDashboard)
  process.stdout.write(welcome(assay, (performance.now() - startedAt) / 1_000))
  for (const warning of assay.warnings) process.stderr.write(`assay: ${warning}\n`)
  const reason = await assay.ended
  if (reason) exitWith([reason])
} catch (error) {
  if (error instanceof LaunchError) exitWith(error.problems)
  if (error instanceof PostgresError) exitWith([error.message])
  throw error
}
