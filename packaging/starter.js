#!/usr/bin/env node
// Starts the program with a cache of compiled code, which saves a third of the start time.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// Code before this check must run in older versions of Node, so that the check can report them.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  const { enableCompileCache, flushCompileCache } = await import('node:module')
  enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'assay', 'code'))
  // At the end of a long process, V8 would have dropped the code of functions that ran only once.
  setTimeout(flushCompileCache, 1_000).unref()
  // `assay mcp` is the MCP server, so that one name is enough for `npx`.
  const isMcp = process.argv[2] === 'mcp'
  if (isMcp) process.argv.splice(2, 1)
  // Otherwise Node keeps 15 MiB for objects that live briefly, of which the MCP server makes few.
  if (isMcp || 'PROGRAM' === 'assay-mcp') {
    setFlagsFromString('--semi-space-growth-factor=1')
    setFlagsFromString('--optimize-for-size')
    // The compiler for long computations takes 5 MiB, and the server computes little.
    setFlagsFromString('--no-opt')
  }
  await import(isMcp ? '../lib/assay-mcp.js' : '../lib/PROGRAM.js')
} else {
  process.stderr.write(`PROGRAM requires Node 22.18 or later; this is Node ${process.versions.node}.\n`)
  process.exitCode = 2
}
