/**
 * `npm run package:try`: installs the package of `npm run package` as a user would, and uses it. The optional argument is
 * the path of the Node to run it with.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { unpackExtension, validateManifest } from '@anthropic-ai/mcpb'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createRepository, shopFiles } from '../client/testing/repository.ts'
import packageInfo from '../package.json' with { type: 'json' }
import { root } from './bundle.ts'
import { desktopManifest } from './manifests.ts'

const run = promisify(execFile)
const { name, version } = packageInfo
const node = process.argv[2] ?? process.execPath

await using cleanUp = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'assay-package-'))
// The last processes that the servers started may still keep their compiled code here.
cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
const repository = cleanUp.use(
  await createRepository({
    ...shopFiles,
    'stock.py': 'def stock(count, limit):\n    if count > limit:\n        return limit\n    return count\n',
    'stock.rs': 'pub fn stock(count: u32) -> u32 {\n    if count > 9 { 9 } else { count }\n}\n',
  }),
)
const environment = {
  PATH: process.env['PATH'] ?? '',
  // Uses no settings of the user and no core, to test the package alone.
  HOME: folder,
  XDG_CACHE_HOME: join(folder, 'cache'),
  LOG_LEVEL: 'warn',
  SVC_BASE_URL: 'http://127.0.0.1:1',
}

await run('npm', ['init', '--yes'], { cwd: folder })
await run('npm', ['install', '--no-audit', '--no-fund', join(root, 'dist', `${name}-${version}.tgz`)], { cwd: folder })
const installed = join(folder, 'node_modules', name)

const help = await start(join(installed, 'bin/assay.js'), '--help')
assert.match(help, /^Usage: assay /)
for (const program of Object.keys(packageInfo.bin)) {
  assert.equal((await run(join(folder, 'node_modules/.bin', program), ['--version'])).stdout, `${version}\n`)
}
assert.match(await start(join(installed, 'bin/assay.js'), 'skill'), /^---\nname: assay\n/)
assert.match(await start(join(installed, 'bin/assay.js'), 'analyze', repository.path), /^src\/price\.ts:1-11\tprice\t/m)
assert.match(await firstLine(join(installed, 'bin/assay-mcp.js'), '--http'), /"MCP over HTTP is ready"/)
await useServer(join(installed, 'bin/assay-mcp.js'))
await useServer(join(installed, 'bin/assay.js'), 'mcp')
assert.ok((await stat(join(folder, 'cache', 'assay', 'working-trees'))).isDirectory())
console.log('The npm package works.')

const unpacked = join(folder, 'desktop')
await unpackExtension({ mcpbPath: join(root, 'dist', `${name}.mcpb`), outputDir: unpacked, silent: true })
assert.ok(validateManifest(join(unpacked, 'manifest.json')))
const manifest: ReturnType<typeof desktopManifest> = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8'))
assert.deepEqual(manifest, JSON.parse(JSON.stringify(desktopManifest())))
assert.ok((await stat(join(unpacked, manifest.server.entry_point))).isFile())
const [script] = manifest.server.mcp_config.args
await useServer(script?.replace('${__dirname}', unpacked) ?? '')
console.log('The bundle for Claude Desktop works.')

async function start(script: string, ...args: string[]): Promise<string> {
  return (await run(node, [script, ...args], { env: environment })).stdout
}

/** Returns the first line of a program, and stops the program. */
async function firstLine(script: string, ...args: string[]): Promise<string> {
  const child = spawn(node, [script, ...args], { env: { ...environment, MCP_PORT: '0', LOG_LEVEL: 'info' } })
  try {
    for await (const line of createInterface(child.stdout)) return line
    throw new Error(`${script} ended`)
  } finally {
    child.kill()
  }
}

/** Analyzes a working tree over MCP, which requires every parser and data file. */
async function useServer(script: string, ...args: string[]): Promise<void> {
  const client = new Client({ name: 'try', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  const begin = performance.now()
  await client.connect(new StdioClientTransport({ command: node, args: [script, ...args], env: environment }))
  const milliseconds = performance.now() - begin
  try {
    const { tools } = await client.listTools()
    console.log(`Connected in ${milliseconds.toFixed(0)} ms; ${tools.length} tools.`)
    assert.deepEqual(
      tools.map((tool) => tool.name),
      desktopManifest().tools.map((tool) => tool.name),
    )
    const answer = await client.callTool({ name: 'analyze_repository', arguments: { localPath: repository.path } })
    const text = JSON.stringify(answer)
    assert.notEqual(answer.isError, true, text)
    for (const found of ['src/price.ts:1-11 | price', 'stock.py:1-4 | stock', 'stock.rs:1-3 | stock']) {
      assert.ok(text.includes(found), `${found} is missing in ${text}`)
    }
  } finally {
    await client.close()
  }
}
