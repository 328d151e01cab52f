// What the runners of mutants share. A worker reads what it shall try, chooses the mutant that runs, and writes down what
// each test says about it.
import fs from 'node:fs'
import { join } from 'node:path'

// Tests can replace all of this, also in the modules of Node. `appendFileSync` would call such replacements.
export const { parse, stringify } = JSON
const { closeSync, existsSync, openSync, readFileSync, writeSync } = fs
const { Set } = globalThis
export const now = performance.now.bind(performance)
export const epoch = Date.now.bind(Date)
export const exit = process.exit.bind(process)
const pid = process.pid
const folder = process.env.ASSAY_MUTANTS

export const files = {
  /** From the host: the mutants, best first. */
  wanted: join(folder, 'wanted.json'),
  /** For the workers: what they try next. */
  plan: join(folder, 'plan.json'),
  /** For the host, in lines of JSON. */
  events: join(folder, 'events.jsonl'),
  /** The mutants that some test has noticed, one per line: no other worker needs to try them. */
  noticed: join(folder, 'noticed.txt'),
  /** What a worker does right now, for the process that ends it if it hangs. */
  doing: (pid) => join(folder, `doing-${pid}.json`),
  /** How a process saw the tests of a whole file. */
  whole: (pid) => join(folder, `whole-${pid}.json`),
  /** The test files of a batch that are done, one per line. */
  done: join(folder, 'done.txt'),
  /** How the runner starts its processes, in lines of JSON. */
  processes: join(folder, 'processes.jsonl'),
}

const lines = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [])

/** Writes a text at the end of a file. */
export const append = (file, text) => write(file, 'a', text)

/** Makes a text the content of a file. */
export const replace = (file, text) => write(file, 'w', text)

function write(file, flags, text) {
  const bytes = Buffer.from(text)
  const opened = openSync(file, flags)
  try {
    // In one call, so that lines of several processes do not mix.
    for (let at = 0; at < bytes.length;) at += writeSync(opened, bytes, at)
  } finally {
    closeSync(opened)
  }
}

export const report = (...events) => {
  if (events.length > 0) append(files.events, events.map((event) => `${stringify(event)}\n`).join(''))
}

export const readPlan = () => parse(readFileSync(files.plan, 'utf8'))

export const noticed = () => new Set(lines(files.noticed).map(Number))

/** Notes that a test has noticed the mutants. */
export const note = (ids) => ids.length > 0 && append(files.noticed, ids.map((id) => `${id}\n`).join(''))

let until = Infinity
let ran = false
let isStopped = false

/** What the mutated sources ask. */
export const mutants = (globalThis.__assayMutants__ = {
  active: 0,
  reach: null,
  /** Says that the chosen mutant itself runs, and not only its function. */
  run() {
    ran = true
  },
  check() {
    if (now() <= until) return
    isStopped = true
    throw new Error('The mutant took too long.')
  },
})

/** Collects the probes that are reached from now on. */
export function collect(probes) {
  mutants.reach = (probe) => probes.add(probe)
  return probes
}

let doing = null
/** The longest text, so that each one replaces the whole of the one before. */
const doingLength = 64

/** Tells the host what this process does. The file stays open, because a process does this a hundred thousand times. */
function tell(id, until) {
  doing ??= openSync(files.doing(pid), 'w')
  writeSync(doing, stringify({ id, until: Math.ceil(until) }).padEnd(doingLength), 0)
}

/** Chooses a mutant, which may take `milliseconds`. */
export function choose(id, milliseconds) {
  tell(id, epoch() + 2 * milliseconds + 2_000)
  mutants.active = id
  ran = false
  isStopped = false
  // The original code: does it run as it did the first time?
  const probes = id === 0 ? new Set() : null
  if (probes) collect(probes)
  const from = now()
  until = from + milliseconds
  return {
    /** Chooses the original code again. */
    end() {
      mutants.active = 0
      if (probes) mutants.reach = null
      const isLate = now() > until
      until = Infinity
      return { ms: Math.round((now() - from) * 10) / 10, isLate, isStopped, ran, probes }
    },
  }
}

/** What a test reaches with the original code after it has tried mutants. */
export const reachedAgain = (file, test, { probes }) => ({ kind: 'again', file, test, probes: [...probes] })

/** What a test says of a mutant. A test that passes late was slowed down by something else. */
export function outcomeOf({ isLate, isStopped, ran }, failed) {
  if (isStopped || (failed && isLate)) return 'timed_out'
  // A test that fails although the mutant did not run fails because of something that an earlier one left.
  if (!ran) return 'not_run'
  return failed ? 'failed' : 'passed'
}

/** How long a test may take with a mutant, if it takes `milliseconds` without one. */
export const limitOf = (milliseconds) => Math.max(500, 10 * milliseconds)

/** The path of a file in the repository. */
export function inRoot(file) {
  const root = `${process.env.ASSAY_ROOT ?? ''}/`
  return file.startsWith(root) ? file.slice(root.length) : file
}

/** Says that some tests of a file did not run without a mutant, although there was time. */
export const notAllRan = (file, why) => ({
  kind: 'error',
  file,
  message: short(
    `Not all tests of ${inRoot(file)} ran, and those that are missing may notice what the others accept: ${why}`,
  ),
})

/** The part of a message that readers need. */
export const short = (message) => String(message ?? '').slice(0, 300)
