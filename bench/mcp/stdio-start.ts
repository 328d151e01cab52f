import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

/**
 * Starts an MCP server like a client, and measures the time to the `initialize` response and its memory after `tools/list`
 * and a call, which ask core.
 */
export async function startOverStdio(script: string, cache: string, core: { baseUrl: string; token: string }) {
  const begin = performance.now()
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env['PATH'],
      HOME: cache,
      XDG_CACHE_HOME: cache,
      SVC_BASE_URL: core.baseUrl,
      SVC_API_TOKEN: core.token,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    if ((await lines.next()).done) throw new Error(`${script} ended`)
  }
  const clientInfo = { name: 'bench', version: '1' }
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const milliseconds = performance.now() - begin
  await ask(2, 'tools/list', {})
  await ask(3, 'tools/call', { name: 'list_projects', arguments: {} })
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
  const mebibytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1_024
  child.stdin.end()
  await ended
  return { milliseconds, mebibytes }
}
