/** `npm run dev`: Assay, started again when its sources change, and the dashboard, which reloads itself, on its own port. */
import { spawn } from 'node:child_process'
import { createServer } from 'vite'
import { readConfig } from '../core/config.ts'
import { projectRoot, viteConfig } from './dashboard/vite-config.ts'
import { exitWith } from './launch-error.ts'

const watched = ['core', 'engines', 'ai-service', 'mcp-server', 'local']
/** What Assay answers itself; Vite answers everything else, such as `/api.ts`. */
const served = '^/(?:(?:trpc|api|files|view|link)/|(?:health|docs|sign-|forgot-|reset-|verify-|change-))'
/** One of the origins that local mode trusts, see `CORS_ORIGINS`. */
const port = 5_173

const { config, problems } = readConfig({ EMBEDDED_DATABASE_URL: 'postgres://embedded', ...process.env })
if (!config) exitWith(problems)

const assay = spawn(process.execPath, [...watched.map((folder) => `--watch-path=${folder}`), 'local/main.ts'], {
  cwd: projectRoot,
  stdio: 'inherit',
})
const target = config.baseUrl
const server = await createServer({
  ...viteConfig,
  logLevel: 'info',
  server: {
    host: 'localhost',
    port,
    strictPort: true,
    proxy: { [served]: { target, changeOrigin: true } },
  },
})
await server.listen()
process.stdout.write(`\n  The dashboard, which reloads itself: http://localhost:${port} (sign in at ${target} first)\n`)
assay.once('exit', (code) => void server.close().finally(() => process.exit(code ?? 0)))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void assay.kill(signal))
