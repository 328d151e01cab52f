import { pino } from 'pino'
import { type AiServiceOverrides, createAiService } from '../app.ts'
import { type AiConfig, readAiConfig } from '../config.ts'

export interface ServedAiService extends AsyncDisposable {
  origin: string
  port: number
  close(): Promise<void>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
}

/** Starts the service on a free port as in production, except for its log. */
export async function serve(
  environment: Record<string, string> = {},
  overrides: AiServiceOverrides = {},
): Promise<ServedAiService> {
  const service = createAiService(configOf(environment), { logger: pino({ level: 'silent' }), ...overrides })
  const port = await service.listen()
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    port,
    close: () => service.close(),
    get: (path, headers = {}) => fetch(origin + path, { headers }),
    post: (path, body, headers = {}) =>
      fetch(origin + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => service.close(),
  }
}

export function configOf(environment: Record<string, string>): AiConfig {
  const { config, problems } = readAiConfig({ AI_PORT: '0', ...environment })
  if (!config) throw new Error(problems.join('; '))
  return config
}
