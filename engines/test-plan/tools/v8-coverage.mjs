// Runs a command and writes the coverage of its Node processes as LCOV. Node measures by itself, in processes that start
// others as well, so the project needs no package for it. The command ends as it does without this program.
//
// node v8-coverage.mjs <report> <repository> <command> [argument ...]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeLcov } from './v8-lcov.mjs'

const [report = '', root = '', command = '', ...rest] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), 'assay-v8-'))
const child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, NODE_V8_COVERAGE: directory } })
// The command gets these signals too, and this process reports how it ended.
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP']
const ignore = () => undefined
for (const signal of signals) process.on(signal, ignore)

child.once('error', (error) => {
  process.stderr.write(`${command}: ${error.code === 'ENOENT' ? 'not found' : error.message}\n`)
  rmSync(directory, { recursive: true, force: true })
  process.exitCode = error.code === 'EACCES' ? 126 : 127
})
child.once('exit', (code, signal) => {
  try {
    const notes = writeLcov(directory, root, report)
    for (const note of notes.slice(0, 10)) process.stderr.write(`# Coverage: ${note}.\n`)
  } catch (error) {
    process.stderr.write(`# No coverage: ${error.message}\n`)
  }
  rmSync(directory, { recursive: true, force: true })
  process.exitCode = code ?? 1
  if (signal === null) return
  for (const name of signals) process.off(name, ignore)
  process.kill(process.pid, signal)
})
