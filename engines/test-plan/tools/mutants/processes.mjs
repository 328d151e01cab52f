// Starts processes that run tests with mutants, for the runners that do not stay loaded between batches.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { endGroup } from './groups.mjs'
import { doingOf, stopAt, workers } from './host.mjs'
import { files, note, outcomeOf, report, short } from './shared.mjs'

/** Whether all tests of a file that should pass do so in a process of their own. */
const sound = new Map()

/** The environment with which all Node processes load a file first. */
export function withPreload(environment, preload) {
  const { NODE_OPTIONS = '', NODE_V8_COVERAGE: _, ...others } = environment
  const options = `${NODE_OPTIONS} --import=${preload}`.trim()
  return { ...others, NODE_OPTIONS: options, ASSAY_MUTANTS: process.env.ASSAY_MUTANTS }
}

export function start(command, args, env, cwd = process.cwd()) {
  return new Promise((resolve, reject) => {
    // Runners start processes of their own, which belong to their group.
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(0, 2_000)))
    // A process that is idle tries no mutant, so that nothing else would end it.
    const late = setTimeout(() => endGroup(child.pid), Math.max(0, stopAt - Date.now()) + 2_000)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      clearTimeout(late)
      endGroup(child.pid)
      child.stderr.destroy()
      resolve({ code, signal, pid: child.pid, errors: short(errors.trim()) })
    })
  })
}

/** Reads what the processes of the runner wrote about themselves. */
export function readProcesses() {
  const text = existsSync(files.processes) ? readFileSync(files.processes, 'utf8') : ''
  rmSync(files.processes, { force: true })
  return text
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      try {
        return JSON.parse(line) ?? []
      } catch {
        // A test wrote it.
        return []
      }
    })
}

/** Works on as many entries at once as there are workers, until time is up. */
export async function atOnce(entries, work, count = workers ?? 1) {
  const queue = [...entries]
  const worker = async (_, index) => {
    while (queue.length > 0 && Date.now() < stopAt) await work(queue.shift(), index + 1)
  }
  await Promise.all(Array.from({ length: count }, worker))
}

/** Works on some items at once, but on those with the same queue one after the other. */
export async function inTurns(items, queueOf, work) {
  const queued = Map.groupBy(
    items.filter((item) => queueOf(item) !== null),
    queueOf,
  )
  const others = items.filter((item) => queueOf(item) === null).map((item) => [item])
  await atOnce([...queued.values(), ...others], async (some) => {
    for (const item of some) if (Date.now() < stopAt) await work(item)
  })
}

/**
 * Reports the mutant that a process tried when it crashed, such as one that took all memory. The test file can also crash
 * because it runs again, or anyway.
 */
export function reportCrash(file, { pid, signal, isFresh = true }) {
  const doing = signal === null ? null : doingOf(pid)
  if (doing) report({ kind: 'crashed', file, id: doing.id, isFresh, message: `The process ended with ${signal}.` })
}

/**
 * Runs a file with a mutant from the start.
 *
 * @param startFile - takes variables of the environment
 */
export async function tryWhole(file, id, startFile) {
  // The failures of a mutant say nothing if the file fails without it.
  if (!sound.has(file)) sound.set(file, (await startFile({ ASSAY_ORIGINAL: '1' })).code === 0)
  if (!sound.get(file)) return
  const { code, signal, pid } = await startFile({})
  const summary = files.whole(pid)
  const { took, why } = summaryIn(summary)
  rmSync(summary, { force: true })
  // A process that hung was reported when it was ended.
  if (signal === 'SIGKILL' && !doingOf(pid)) return
  const ended = signal === null ? {} : { message: `The process ended with ${signal}.` }
  const outcome = outcomeOf({ ...took, ran: true }, code !== 0)
  tried(file, id, outcome, { test: null, ms: took?.ms ?? null, ...ended, ...why })
}

/**
 * Runs some files with a mutant from the start, all in one process. Returns whether they accept it; else each of them has
 * to say for itself.
 *
 * @param startFiles - takes variables of the environment
 */
export async function acceptTogether(group, id, startFiles) {
  const name = group.join('\n')
  if (!sound.has(name)) sound.set(name, (await startFiles({ ASSAY_ORIGINAL: '1' })).code === 0)
  if (!sound.get(name)) return false
  const { code, pid } = await startFiles({})
  const summary = files.whole(pid)
  const { took } = summaryIn(summary)
  rmSync(summary, { force: true })
  if (code !== 0 || !took) return false
  for (const file of group) tried(file, id, outcomeOf({ ...took, ran: true }, false), { test: null, ms: took.ms })
  return true
}

function summaryIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? {}
  } catch {
    // The process died before, or a test wrote it.
    return {}
  }
}

function tried(file, id, outcome, more) {
  report({ kind: 'tried', file, id, outcome, ...more })
  if (outcome !== 'passed') note([id])
}
