// What every driver does around its runner: see which mutants each test reaches, then try them in batches until time is up.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Batches, eventReader } from './batches.mjs'
import { files, note, report, short } from './shared.mjs'

const folder = process.env.ASSAY_MUTANTS

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 11)) {
  const message = `The tests run with Node ${process.versions.node}. Assay needs Node 20.11 or later to try mutants.`
  report({ kind: 'error', message }, { kind: 'end', isComplete: false })
  process.exit(0)
}

export const { wanted, stopAt, workers, testFiles } = JSON.parse(readFileSync(files.wanted, 'utf8'))

/**
 * @param runner.reach - runs all tests once with the plan `reach`; throws if the runner cannot try mutants
 * @param runner.run - runs the files of a plan `try`
 */
export async function tryMutants({ reach, run }) {
  writeFileSync(files.events, '')
  const readEvents = eventReader()
  writePlan({ kind: 'reach' })
  try {
    await reach()
  } catch (error) {
    report({ kind: 'error', message: short(error?.message ?? error) }, { kind: 'end', isComplete: false })
    return
  }
  const events = readEvents()
  const reached = events.filter(({ kind }) => kind === 'reach')
  report({ kind: 'ready', tests: reached.length, failed: reached.filter(({ failed }) => failed).length })
  const batches = new Batches(
    wanted,
    events.filter(({ kind }) => kind === 'reach' || kind === 'load'),
    workers,
    testFiles,
  )
  const slowest = Math.max(0, ...reached.map(({ ms }) => ms))
  let isEnded = false
  while (Date.now() < stopAt) {
    const next = batches.next()
    isEnded = next === null
    if (isEnded) break
    const from = performance.now()
    writePlan({ kind: 'try', stopAt, timeoutMs: Math.ceil(Math.max(1_000, 10 * slowest)), files: next })
    const watching = setInterval(endHanging, 500)
    try {
      await run(next)
    } finally {
      clearInterval(watching)
    }
    batches.take(readEvents(), performance.now() - from)
  }
  report({ kind: 'end', isComplete: isEnded })
}

function writePlan(next) {
  for (const name of readdirSync(folder)) if (name.startsWith('doing-')) rmSync(join(folder, name))
  writeFileSync(files.plan, JSON.stringify(next))
}

/** What the process does right now; null if it tries no mutant. */
export function doingOf(pid) {
  try {
    const { id, until } = JSON.parse(readFileSync(files.doing(pid), 'utf8'))
    return id ? { id, until } : null
  } catch {
    // It has not begun, or it is writing.
    return null
  }
}

/** Ends the processes whose mutants hang. */
function endHanging() {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^doing-(\d+)\.json$/.exec(name)?.[1])
    const doing = doingOf(pid)
    if (!doing || Date.now() < doing.until) continue
    rmSync(join(folder, name))
    report({ kind: 'tried', id: doing.id, outcome: 'timed_out', file: null, test: null, ms: null })
    note([doing.id])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
}
