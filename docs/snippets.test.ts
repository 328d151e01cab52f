import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import linguist from '../engines/languages/linguist/languages.json' with { type: 'json' }
import { stdioServer } from '../core/system/connect.ts'
import { claudeCommand, mcpSnippet } from '../local/welcome.ts'
import packageInfo from '../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '..')
const readme = await readFile(join(root, 'README.md'), 'utf8')
const chapter = await readFile(join(root, 'docs/connect.md'), 'utf8')

const Remote = z.strictObject({
  type: z.literal('http').optional(),
  url: z.url(),
  headers: z.strictObject({ Authorization: z.literal('Bearer svc_...') }).optional(),
  bearer_token_env_var: z.literal('SVC_API_TOKEN').optional(),
})
const Local = z.strictObject({
  type: z.enum(['stdio', 'local']).optional(),
  command: z.union([z.string(), z.array(z.string()).min(1)]),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
})
/** Each client has a different name for the list of servers. */
const Settings = z.partialRecord(
  z.enum(['mcpServers', 'servers', 'mcp_servers', 'mcp']),
  z.strictObject({ assay: z.union([Local, Remote]) }),
)

const servers = [...chapter.matchAll(/```(json|toml)\n(.*?)```/gs)].map(([, language, text = '']) => {
  const settings: unknown = language === 'toml' ? parseToml(text) : JSON.parse(text)
  return Object.values(Settings.parse(settings))[0]?.assay
})
const local = servers.flatMap((server) => (server && 'command' in server ? [server] : []))
const remote = servers.flatMap((server) => (server && 'url' in server ? [server] : []))
const claude = [...chapter.matchAll(/^claude mcp add assay -- (.*)$/gm)].map(([, command = '']) => command)

let installed: string

/** A folder with the programs of the package, as npm installs them. */
beforeAll(async () => {
  installed = await mkdtemp(join(tmpdir(), 'assay-snippets-'))
  for (const [name, program] of Object.entries(packageInfo.bin)) {
    await symlink(join(root, program), join(installed, name))
  }
})
afterAll(() => rm(installed, { recursive: true }))

const commands = [
  ...local.map(({ command, args, env }) => ({ words: [command, args].flat(), env })),
  ...claude.map((command) => ({ words: command.split(' '), env: {} })),
]

test('shows a snippet for every way to connect', () => {
  expect(commands.length).toBeGreaterThanOrEqual(6)
  expect(remote.length).toBeGreaterThanOrEqual(2)
})

/** Several snippets contain the same command in different formats. */
const different = new Map(commands.map((one) => [one.words.join(' '), one]))

test.each([...different])('%s answers', async (_text, { words, env }) => {
  const [command = '', ...args] = asHere(words)
  const child = spawn(command, args, {
    env: { PATH: [installed, dirname(process.execPath), process.env['PATH']].join(delimiter), ...withoutToken(env) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    for await (const line of createInterface(child.stdout)) {
      expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: 'assay' } } })
      break
    }
    expect.assertions(1)
  } finally {
    child.kill()
  }
})

test.each(remote)('$url is where the server is by default', ({ url }) => {
  expect(url).toBe('http://127.0.0.1:4100/mcp')
})

test('`npm start` prints the snippets of README and page', () => {
  const printed = (text: string) =>
    text.replaceAll(process.execPath, '/path/to/assay/node_modules/node/bin/node').replaceAll(root, '/path/to/assay')
  const server = stdioServer({ dataDir: join(root, '.data') }, 'http://localhost:4000')
  for (const page of [readme, chapter]) expect(page).toContain(printed(claudeCommand(server)))
  expect(servers).toContainEqual({
    ...JSON.parse(printed(JSON.stringify(mcpSnippet(server)))).mcpServers.assay,
    env: {},
  })
})

test('the README names no more languages than Assay recognizes', () => {
  const promised = Number(/recognizes more than (\d+) languages/.exec(readme)?.[1])
  expect(linguist.languages.length).toBeGreaterThan(promised)
  expect(linguist.languages.length).toBeLessThan(promised + 100)
})

/** Replaces the paths of the page with those of this machine, and `npx` with the installed program. */
function asHere(words: readonly string[]): string[] {
  const program = words[0] === 'npx' ? words.slice(words.findIndex((word) => word.startsWith('--package=')) + 1) : words
  return program.map((word) =>
    word
      .replace('/path/to/assay/node_modules/node/bin/node', process.execPath)
      .replace(/^\/path\/to\/assay(?=\/)/, root),
  )
}

const withoutToken = (env: Record<string, string>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'SVC_API_TOKEN'))
