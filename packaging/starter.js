#!/usr/bin/env node
// Starts the program with a cache of compiled code, which saves a third of the time.
import { homedir } from 'node:os'
import { join } from 'node:path'

// Nothing that an older Node lacks may stand before this check, so that it gets to say what is wrong.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'assay', 'code'))
  // `assay mcp` is the MCP server, so that one name is enough for `npx`.
  const isMcp = process.argv[2] === 'mcp'
  if (isMcp) process.argv.splice(2, 1)
  await import(isMcp ? '../lib/assay-mcp.js' : '../lib/PROGRAM.js')
} else {
  process.stderr.write(`PROGRAM needs Node 22.18 or later; this is ${process.versions.node}.\n`)
  process.exitCode = 2
}
