import { flushCompileCache } from 'node:module'
import { createAiService } from './app.ts'
import { readAiConfig } from './config.ts'

const { config, problems } = readAiConfig()
if (!config) {
  process.stderr.write(`ai-service: wrong settings: ${problems.join('; ')}\n`)
  process.exit(1)
}

const where = `port ${config.port} on ${config.host}`
const service = createAiService(config)
async function stop() {
  await service.close()
  if (process.connected) process.disconnect()
}
for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(event, () => void stop())

try {
  const port = await service.listen()
  process.send?.({ ready: true, port })
  // At the end of the process, V8 would have dropped the code of functions that ran only once.
  flushCompileCache()
} catch (error) {
  process.stderr.write(`ai-service: ${describe(error)}\n`)
  process.exit(1)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `cannot listen on ${where}: ${String(error)}`
  return 'code' in error && error.code === 'EADDRINUSE'
    ? `${where} is already in use. Stop the other process, or set AI_PORT`
    : `cannot listen on ${where}: ${error.message}`
}
