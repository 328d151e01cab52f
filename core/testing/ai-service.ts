import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createAiService } from '../../ai-service/app.ts'
import { readAiConfig } from '../../ai-service/config.ts'
import type { Config } from '../config.ts'
import type { AiGenerateRequest, AiSuggestRequest } from '../ai/schema.ts'
import { listening } from './receiver.ts'

/** A request to either endpoint. */
type Asked = Partial<AiSuggestRequest> & Partial<AiGenerateRequest>

export interface AiAnswer {
  status?: number
  headers?: Record<string, string>
  /** Text is sent as is, and anything else as JSON. */
  body: unknown
}

/** The AI service behind a proxy that records requests and can respond instead of the service. */
export interface TestAi extends AsyncDisposable {
  url: string
  /** All requests, oldest first. */
  asked: { path: string; request: Asked; text: string }[]
  /** Undefined lets the service itself respond, with its mock provider. */
  answer: ((request: Asked, path: string) => AiAnswer | Promise<AiAnswer>) | undefined
}

/** The AI service itself with its mock provider, and the settings with which core reaches it. */
export async function startMockAi(): Promise<AsyncDisposable & { ai: Config['ai'] }> {
  const secret = 'shared-by-both'
  const { config } = readAiConfig({ AI_PORT: '0', AI_SERVICE_SECRET: secret, LOG_LEVEL: 'silent' })
  if (!config) throw new Error('wrong settings')
  const service = createAiService(config)
  const port = await service.listen()
  return {
    ai: { url: `http://127.0.0.1:${port}`, secret, timeoutMs: 60_000 },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

export async function startAi(): Promise<TestAi> {
  const { config } = readAiConfig({ AI_PORT: '0', LOG_LEVEL: 'silent' })
  if (!config) throw new Error('wrong settings')
  await using opened = new AsyncDisposableStack()
  const service = opened.use(createAiService(config))
  const port = await service.listen()
  const server = createServer((req, res) => {
    void (async () => {
      const path = req.url ?? ''
      const sent = await text(req)
      const request = JSON.parse(sent) as Asked
      ai.asked.push({ path, request, text: `${JSON.stringify(req.headers)}\n${sent}` })
      const answered: AiAnswer = ai.answer ? await ai.answer(request, path) : await passOn(port, path, sent)
      const { status = 200, headers, body } = answered
      res.writeHead(status, { 'content-type': 'application/json', ...headers })
      res.end(typeof body === 'string' ? body : JSON.stringify(body))
    })()
  })
  const front = opened.use(await listening(server))
  const stack = opened.move()
  const ai: TestAi = {
    url: `http://127.0.0.1:${front.port}`,
    asked: [],
    answer: undefined,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return ai
}

async function passOn(port: number, path: string, body: string): Promise<AiAnswer> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
  return { status: response.status, body: await response.text() }
}
