#!/usr/bin/env node
// Starts main.ts with a cache of compiled code, so that Node loads its TypeScript parser only after a change: a third
// less time and memory. The cache is a convenience; where it cannot be written, main.ts starts as it would without.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Nothing that an older Node lacks may stand before this check, so that it gets to say what is wrong.
const folder = fileURLToPath(new URL('.', import.meta.url))
// `npm run assay` changes to this checkout; what the words mean is where they were typed.
const { INIT_CWD: typedIn, npm_lifecycle_event: script, npm_package_json: manifest } = process.env
if (script === 'assay' && manifest === join(folder, '../package.json') && typedIn) process.chdir(typedIn)
const [major = 0] = process.versions.node.split('.').map(Number)
if (major >= 24) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(join(folder, '../node_modules/.cache/assay/code'))
  // `assay mcp` is the MCP server, so that one name is enough for `npx`.
  const isMcp = process.argv[2] === 'mcp'
  if (isMcp) process.argv.splice(2, 1)
  await import(isMcp ? '../mcp-server/main.ts' : './main.ts')
} else {
  const own = join(folder, '../node_modules/node/bin/node')
  const hint = existsSync(own) ? `This checkout has its own: ${own}` : '`npm install` in the checkout brings one.'
  process.stderr.write(`assay needs Node 24 or later; this is ${process.versions.node}. ${hint}\n`)
  process.exitCode = 2
}
