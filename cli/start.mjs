#!/usr/bin/env node
// Starts the bundle of `npm run build`, or main.ts if a source has changed since, with a cache of compiled code. Both are a
// convenience; without them, main.ts starts as it would alone.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Code before this check must run in older versions of Node, so that the check can report them.
const folder = fileURLToPath(new URL('.', import.meta.url))
// `npm run assay` changes to this checkout, but the arguments are relative to the user's folder.
const { INIT_CWD: typedIn, npm_lifecycle_event: script, npm_package_json: manifest } = process.env
if (script === 'assay' && manifest === join(folder, '../package.json') && typedIn) process.chdir(typedIn)
const [major = 0] = process.versions.node.split('.').map(Number)
if (major >= 24) {
  // `assay mcp` is the MCP server, so that one name is enough for `npx`.
  const isMcp = process.argv[2] === 'mcp'
  if (isMcp) process.argv.splice(2, 1)
  const { startProgram } = await import('../local/built.mjs')
  await startProgram(join(folder, isMcp ? '../mcp-server/main.ts' : 'main.ts'))
} else {
  const own = join(folder, '../node_modules/node/bin/node')
  const hint = existsSync(own) ? `This checkout contains one: ${own}` : 'Run `npm install` in the checkout to get one.'
  process.stderr.write(`assay requires Node 24 or later; this is Node ${process.versions.node}. ${hint}\n`)
  process.exitCode = 2
}
