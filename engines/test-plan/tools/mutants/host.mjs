// What every driver does around its runner: see which mutants each test reaches, then try them in batches until time is up.
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Batches } from './batches.mjs'
import { eventReader } from './events.mjs'
import { files, inRoot, note, notAllRan, report, short } from './shared.mjs'

const folder = process.env.ASSAY_MUTANTS

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 11)) {
  const message = `The tests run with Node ${process.versions.node}. Assay needs Node 20.11 or later to try mutants.`
  report({ kind: 'error', message }, { kind: 'end', isComplete: false })
  process.exit(0)
}

export const {
  wanted,
  stopAt,
  workers,
  testFiles,
  dependent = [],
  known = {},
  last = [],
  left = [],
} = JSON.parse(readFileSync(files.wanted, 'utf8'))

/** Whether an earlier measurement says what the tests of a file reach, so that they need not run to see it. */
export const isKnown = (file) => Object.hasOwn(known, inRoot(file))

/** Whether the driver died once while a file ran, so that it runs alone and after all others. */
export const isLast = (file) => last.includes(inRoot(file))

/** Tells the host which test file runs, until it has ended. */
export async function noted(file, run) {
  report({ kind: 'begun', file })
  const result = await run()
  report({ kind: 'done', files: [file] })
  return result
}

/**
 * @param runner.reach - runs the tests of all files that are not known once with the plan `reach`; throws if the runner
 *   cannot try mutants, and returns false if some tests may not have run
 * @param runner.run - runs the files of a plan `try`
 * @param runner.oneProcess - whether the runner runs all test files in one process
 */
export async function tryMutants({ reach, run, oneProcess = false }) {
  writeFileSync(files.events, '')
  const readEvents = eventReader()
  writePlan({ kind: 'reach', known: Object.keys(known) })
  let isWhole
  const watched = watchFiles()
  try {
    isWhole = (await reach()) !== false
    watched.end()
  } catch (error) {
    watched.end()
    report({ kind: 'error', message: short(error?.message ?? error) }, { kind: 'end', isComplete: false })
    return
  }
  const kept = reportKnown()
  const events = readEvents()
  const reached = events.filter(({ kind }) => kind === 'reach')
  const isComplete = isWhole && Date.now() < stopAt
  const unsound = events.flatMap(({ kind, file }) => (kind === 'error' && file ? file : []))
  reportDamaged(readEvents, [])
  const failed = reached.filter((one) => one.failed).length
  report({ kind: 'ready', tests: reached.length, failed, kept, isComplete })
  if (!isComplete && reached.length > 0) report({ kind: 'error', message: notEnded(reached.length) })
  const batches = new Batches(
    wanted,
    events.filter(({ kind }) => kind === 'reach' || kind === 'load'),
    workers,
    testFiles,
    { dependent, last, left, unsound, oneProcess },
  )
  const slowest = Math.max(0, ...reached.map(({ ms }) => ms))
  let isEnded = false
  while (Date.now() < stopAt) {
    const next = batches.next()
    isEnded = next === null
    if (isEnded) break
    const from = performance.now()
    const timeoutMs = (batches.isAgain ? 2 : 1) * Math.ceil(Math.max(1_000, 10 * slowest))
    writePlan({ kind: 'try', stopAt, timeoutMs, files: next })
    const watching = setInterval(endHanging, 500)
    try {
      await run(next)
    } finally {
      clearInterval(watching)
    }
    report({ kind: 'done', files: Object.keys(next) })
    batches.take(readEvents(), performance.now() - from)
    reportDamaged(readEvents, Object.keys(next))
  }
  report({ kind: 'end', isComplete: isEnded })
}

/** Says that tests have damaged the record of what they did. */
function reportDamaged(readEvents, ran) {
  const { damaged } = readEvents
  readEvents.damaged = 0
  if (damaged === 0) return
  const names = ran.slice(0, 3).map(inRoot).join(', ')
  report({
    kind: 'error',
    message: short(
      `${damaged === 1 ? '1 line' : `${damaged} lines`} of the record of what tests did ${damaged === 1 ? 'is' : 'are'} damaged, perhaps by a test${names && ` of ${names}${ran.length > 3 ? ' or others' : ''}`}. Results may be missing.`,
    ),
  })
}

/** The part of the time in which each test file has to run once. */
const fileShare = 1 / 3
const leastFileMs = 5_000

export const fileLimitMs = Math.max(leastFileMs, fileShare * (stopAt - Date.now()))

export const tooLong = (file) => notAllRan(file, `it did not end within ${Math.round(fileLimitMs / 1_000)} seconds.`)

/** Ends the processes of test files that never end, while all tests run once. */
function watchFiles() {
  const readEvents = eventReader()
  const running = new Map()
  const follow = () => {
    for (const event of readEvents()) {
      if (event.kind === 'begun') running.set(event.file, { pid: event.pid, until: Date.now() + fileLimitMs })
      if (event.kind === 'done') for (const file of event.files) running.delete(file)
    }
  }
  const timer = setInterval(() => {
    follow()
    for (const [file, { pid, until }] of running) {
      if (!Number.isInteger(pid) || pid <= 1 || Date.now() < until || Date.now() > stopAt) continue
      running.delete(file)
      // A process may have died without a word.
      if (!isRunning(pid)) continue
      report(tooLong(file))
      process.kill(pid, 'SIGKILL')
    }
  }, 500)
  return {
    end() {
      clearInterval(timer)
      follow()
      report({ kind: 'done', files: [...running.keys()] })
    },
  }
}

function notEnded(count) {
  return `When the time was over, only ${count === 1 ? '1 test' : `${count} tests`} had ended without a mutant. Use a larger budgetSeconds. If a test never ends, nothing is known of the others in its file.`
}

/** Reports what is known of tests. Returns their number. */
function reportKnown() {
  let count = 0
  for (const [path, tests] of Object.entries(known)) {
    const file = join(process.env.ASSAY_ROOT ?? '/', path)
    report(
      ...tests.map(({ test, ms, probes }) =>
        test === null ? { kind: 'load', file, ms, probes } : { kind: 'reach', file, test, ms, failed: false, probes },
      ),
    )
    count += tests.filter(({ test }) => test !== null).length
  }
  return count
}

function writePlan(next) {
  for (const name of doingNames()) forget(name)
  // It is about one batch.
  rmSync(files.noticed, { force: true })
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
  for (const name of doingNames()) {
    const pid = pidOf(name)
    const doing = doingOf(pid)
    if (!doing || Date.now() < doing.until) continue
    forget(name)
    report({ kind: 'tried', id: doing.id, outcome: 'timed_out', file: null, test: null, ms: null })
    note([doing.id])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
}

const doingNames = () => readdirSync(folder).filter((name) => name.startsWith('doing-'))

const pidOf = (name) => Number(/\d+/.exec(name)?.[0])

/** Empties the file of a process, which may hold it open. */
function forget(name) {
  const path = join(folder, name)
  if (isRunning(pidOf(name))) truncateSync(path)
  else rmSync(path)
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
