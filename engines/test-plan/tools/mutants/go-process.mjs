// Runs compiled tests of Go.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { endGroup } from './groups.mjs'

const maxOutput = 1_000_000

/**
 * Runs the compiled tests of a package.
 *
 * @returns how the process ended, how long it took, its output, and whether it was ended because it took too long
 */
export function run({ program, flags, cwd }, options, environment, limitMs) {
  return new Promise((resolve) => {
    const from = performance.now()
    // Processes that it starts belong to its group.
    const child = spawn(program, [...flags, ...options], {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    const take = (chunk) => {
      if (output.length < maxOutput) output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    let isLate = false
    let limit = setTimeout(() => {
      // On a busy machine, a process may have had no chance yet.
      if (computedMs(child.pid) >= limitMs / 2) return end()
      limit = setTimeout(end, 2 * limitMs)
    }, limitMs)
    const end = () => {
      isLate = true
      endGroup(child.pid)
    }
    const finish = (code) => {
      clearTimeout(limit)
      endGroup(child.pid)
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ code, isLate, output, ms: Math.round((performance.now() - from) * 10) / 10 })
    }
    child.once('error', (error) => {
      output += error.message
      finish(null)
    })
    // What it has started can keep the pipes open. What it printed itself arrives within moments.
    child.once('exit', (code) => setTimeout(finish, 2, code))
  })
}

function computedMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1).split(' ')
    return (Number(fields[12]) + Number(fields[13])) * 10
  } catch {
    return Infinity
  }
}

/** Why a test failed, in the words of Go. */
export function endOf({ code, output }) {
  const panic = /^(?:panic|fatal error): (.*)/m.exec(output)
  if (panic) return { error: 'panic', message: panic[1] }
  const said = /^[ \t]+\S+\.go:\d+: (.*)/m.exec(output)
  if (said) return { error: 'Failure', message: said[1] }
  const [before, want] = output.split('\nwant:\n', 2)
  const got = before.split(/^got:\n/m, 2)[1]
  if (got !== undefined && want !== undefined) {
    return { error: 'Failure', message: `got ${got}, want ${want.split('\n', 1)[0]}` }
  }
  return { error: 'Failure', message: output.trim() || `The process ended with ${code}.` }
}
