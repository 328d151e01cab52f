import { LLMock } from '@copilotkit/aimock'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { ProviderOverrides } from '../providers/create-provider.ts'
import { type ServedAiService, serve } from './serve.ts'

export const providers = ['provider_a', 'provider_b'] as const
export type RealProvider = (typeof providers)[number]

/** A format that the redaction does not know, so that it must know the key itself. */
export const keyOf = (provider: RealProvider) => `${provider}-Key.0123456789`

export interface ServedWithModel extends ServedAiService {
  /** Lines of the log so far. */
  log(): string
}

/** Starts the service with a real provider, with short waits, in front of a model server. */
export async function serveWith(
  provider: RealProvider,
  url: string,
  settings: Record<string, string> = {},
  timing: ProviderOverrides['timing'] = {},
): Promise<ServedWithModel> {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const name = provider.toUpperCase()
  const environment = {
    AI_PROVIDER: provider,
    [`${name}_API_KEY`]: keyOf(provider),
    [`${name}_BASE_URL`]: provider === 'provider_a' ? `${url}/v1` : url,
    ...settings,
  }
  const service = await serve(environment, {
    logger: pino({ level: 'debug' }, sink),
    timing: { firstWaitMs: 1, maxWaitMs: 5, ...timing },
  })
  return { ...service, log: () => lines.join('') }
}

/** Starts a server from an npm package that supports both wire formats. */
export async function openModelServer() {
  const server = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' })
  await server.start()
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.stop() })
}

/** Starts a server with exact responses from the test, for what the package does not support. */
export async function openRawServer(
  answer: (response: ServerResponse, request: IncomingMessage, body: string) => void,
) {
  const requests: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        requests.push({ headers: request.headers, body })
        answer(response, request, body)
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns the response of either provider for a text. */
export function wireAnswer(provider: RealProvider, content: string) {
  return provider === 'provider_a'
    ? {
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
        usage: { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 },
      }
    : {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: content }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1_000, output_tokens: 200 },
      }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
