import { text as textOf } from 'node:stream/consumers'
import { z } from 'zod'
import { callOverHttp } from '../../client/http-call.ts'

const Answer = z.object({
  result: z.object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().optional() }),
})

/** Calls tools with the newest protocol version and a minimal client, over HTTP as the client of the RPC calls does. */
export function openCaller(url: string, token: string) {
  let calls = 0
  return async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const response = await callOverHttp(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++calls,
        method: 'tools/call',
        params: {
          name: tool,
          arguments: args,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
      signal: AbortSignal.timeout(600_000),
    })
    const text = await textOf(response)
    const data = text.split('\n').find((line) => line.startsWith('data: {'))
    const { result } = Answer.parse(JSON.parse(data?.slice('data: '.length) ?? text))
    const answer = result.content.map((part) => part.text).join('\n')
    if (result.isError) throw new Error(`${tool}: ${answer}`)
    return answer
  }
}
