// Stands between us and a command that runs without a sandbox: tells how it ended, and ends it when we are gone. The
// descriptors end with this program; the command inherits none.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants } from 'node:os'

const lifeline = new Socket({ fd: 3, readable: true, writable: false })
const report = 4
const [command = '', ...rest] = process.argv.slice(2)

process.on('SIGTERM', () => undefined)
const child = spawn(command, rest, { stdio: 'inherit', env: JSON.parse(readFileSync(5, 'utf8')) })
child.once('error', (error) => {
  process.stderr.write(`${command}: ${'code' in error && error.code === 'ENOENT' ? 'not found' : error.message}\n`)
  end(127)
})
child.once('exit', (code, signal) => end(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))

lifeline.resume()
lifeline.once('close', endAll)
lifeline.once('error', endAll)

/** @param {number} exitCode */
function end(exitCode) {
  writeSync(report, JSON.stringify({ exitCode, problem: null }))
  process.exit(0)
}

/** Ends what carries the same mark, and then its own process group with itself. */
function endAll() {
  const mark = `ASSAY_EXECUTION=${process.env.ASSAY_EXECUTION}`
  for (let left = true; left;) {
    const found = process.platform === 'linux' ? readdirSync('/proc').filter((name) => isMarked(name, mark)) : []
    for (const name of found) kill(Number(name))
    left = found.length > 0
  }
  kill(-process.pid)
}

/**
 * @param {string} name
 * @param {string} mark
 */
function isMarked(name, mark) {
  if (!/^\d+$/.test(name) || Number(name) === process.pid) return false
  try {
    return readFileSync(`/proc/${name}/environ`, 'utf8').includes(mark)
  } catch {
    return false
  }
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
