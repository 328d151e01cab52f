#!/usr/bin/env node
// Starts the bundle of `npm run build`, or main.ts if a source has changed since, with a cache of compiled code. Both are a
// convenience; without them, main.ts starts as it would alone, but slower.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Nothing that an older Node lacks may stand before this check, so that it gets to say what is wrong.
const folder = fileURLToPath(new URL('.', import.meta.url))
const [major = 0] = process.versions.node.split('.').map(Number)
if (major >= 24) {
  // Otherwise Node keeps 15 MiB for objects that live briefly, of which the server makes few.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--optimize-for-size')
  // The compiler for long computations takes 5 MiB, and the server computes little.
  setFlagsFromString('--no-opt')
  const { startProgram } = await import('../local/built.mjs')
  await startProgram(join(folder, 'main.ts'))
} else {
  const own = join(folder, '../node_modules/node/bin/node')
  const hint = existsSync(own) ? `This checkout has its own: ${own}` : '`npm install` in the checkout brings one.'
  process.stderr.write(`The MCP server needs Node 24 or later; this is ${process.versions.node}. ${hint}\n`)
  process.exitCode = 2
}
