import { createAiService } from './app.ts'
import { readAiConfig } from './config.ts'

const { config, problems } = readAiConfig()
if (!config) {
  process.stderr.write(`ai-service: wrong settings: ${problems.join('; ')}\n`)
  process.exit(1)
}

const service = createAiService(config)
async function stop() {
  await service.close()
  if (process.connected) process.disconnect()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
process.once('disconnect', stop)

try {
  const port = await service.listen()
  process.send?.({ ready: true, port })
} catch (error) {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  const reason = taken ? 'is already in use: stop what listens there, or set AI_PORT' : `cannot be listened on: ${error}`
  process.stderr.write(`ai-service: port ${config.port} on ${config.host} ${reason}\n`)
  process.exit(1)
}
