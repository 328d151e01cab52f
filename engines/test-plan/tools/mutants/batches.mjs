// Decides which tests try which mutants next. Knows nothing of a runner.
import { readFileSync } from 'node:fs'
import { files, report } from './shared.mjs'

/** A mutant that many tests reach is tried by these first, because most mutants are noticed by the first test. */
const firstTests = 8
const firstBatch = 50
const batchMs = 8_000
/** A try can get lost with its process. After so many times it is given up. */
const maxAttempts = 3

/** Returns a function that reads the events written since its last call. */
export function eventReader() {
  let read = 0
  return () => {
    const text = readFileSync(files.events, 'utf8')
    const end = text.lastIndexOf('\n') + 1
    const lines = text.slice(read, end).split('\n').filter(Boolean)
    read = end
    return lines.map((line) => JSON.parse(line))
  }
}

export class Batches {
  /** What is known of each mutant, best first. `waiting` are tries of single tests, `whole` of whole files. */
  #mutants = []
  #byId = new Map()
  #pending = []
  #size = firstBatch
  /** How long a file takes, in milliseconds, and the tests that fail without a mutant. */
  #files = new Map()

  /**
   * @param wanted - `{ id, probe }`, best first
   * @param reached - events of kind `reach` and `load`
   */
  constructor(wanted, reached) {
    const byProbe = new Map()
    for (const { id, probe } of wanted) {
      const mutant = { id, waiting: [], whole: [], tries: 0, state: 'open' }
      this.#mutants.push(mutant)
      this.#byId.set(id, mutant)
      byProbe.set(probe, [...(byProbe.get(probe) ?? []), mutant])
    }
    for (const { kind, file, test, ms, probes, failed } of reached) {
      const known = this.#files.get(file) ?? { ms: 0, failing: [] }
      this.#files.set(file, known)
      known.ms += ms
      if (failed) known.failing.push(test)
      if (failed) continue
      const mutants = probes.flatMap((probe) => byProbe.get(probe) ?? [])
      for (const mutant of mutants) {
        if (kind === 'load') mutant.whole.push({ file, test: null, attempts: 0 })
        else mutant.waiting.push({ file, test, ms, breadth: mutants.length, attempts: 0 })
      }
    }
    // Fast tests that reach little notice most per second.
    for (const { waiting } of this.#mutants) waiting.sort((a, b) => a.breadth - b.breadth || a.ms - b.ms)
  }

  /** The next tries by file, or null if none is left: `{ [file]: { tests: { [name]: { ms, ids } } } }`. */
  next() {
    const plan = {}
    const waiting = this.#mutants.filter((one) => one.state === 'open' && one.waiting.length > 0).slice(0, this.#size)
    for (const mutant of waiting) {
      const count = mutant.waiting.length > 3 * firstTests ? firstTests : mutant.waiting.length
      for (const attempt of mutant.waiting.splice(0, count)) {
        const tests = (plan[attempt.file] ??= { tests: {} }).tests
        ;(tests[attempt.test] ??= { ms: attempt.ms, ids: [] }).ids.push(mutant.id)
        this.#pending.push({ mutant, attempt })
      }
    }
    return waiting.length > 0 ? plan : this.#nextWhole()
  }

  /** One mutant per file, which runs from the start of the file. */
  #nextWhole() {
    const plan = {}
    for (const mutant of this.#mutants) {
      const at = mutant.state === 'open' ? mutant.whole.findIndex(({ file }) => !plan[file]) : -1
      if (at < 0) continue
      const [attempt] = mutant.whole.splice(at, 1)
      plan[attempt.file] = { whole: mutant.id, tests: {}, ...this.#files.get(attempt.file) }
      this.#pending.push({ mutant, attempt })
    }
    return this.#pending.length > 0 ? plan : null
  }

  /** Takes what a batch has found out in `milliseconds`, and reports the mutants that are decided now. */
  take(events, milliseconds) {
    const seen = new Set()
    for (const event of events) {
      if (event.kind === 'tried') this.#tried(event, seen)
      // Its failures can be the fault of another mutant.
      if (event.kind === 'unclean') for (const id of event.ids) this.#again(id, event, seen)
    }
    for (const { mutant, attempt } of this.#pending) {
      if (mutant.state !== 'open' || seen.has(keyOf(mutant.id, attempt))) continue
      attempt.attempts++
      if (attempt.attempts < maxAttempts) mutant[attempt.test === null ? 'whole' : 'waiting'].push(attempt)
      else mutant.state = 'lost'
    }
    this.#pending = []
    this.#size = Math.ceil(this.#size * Math.min(3, Math.max(0.5, batchMs / Math.max(1, milliseconds))))
    this.#decide()
  }

  #tried(event, seen) {
    const mutant = this.#byId.get(event.id)
    if (!mutant || mutant.state !== 'open') return
    if (event.outcome === 'not_run') return this.#again(event.id, event, seen)
    seen.add(keyOf(event.id, event))
    mutant.tries++
    if (event.outcome === 'failed' || event.outcome === 'timed_out') {
      mutant.state = 'noticed'
      const { kind: _, outcome, ...by } = event
      report({ kind: 'decided', outcome: outcome === 'failed' ? 'noticed' : outcome, ...by })
    }
  }

  /** The test cannot tell, perhaps because a result is kept from before. The whole file can. */
  #again(id, { file, test }, seen) {
    const mutant = this.#byId.get(id)
    seen.add(keyOf(id, { file, test }))
    if (!mutant || mutant.whole.some((one) => one.file === file)) return
    mutant.whole.push({ file, test: null, attempts: 0 })
  }

  #decide() {
    for (const mutant of this.#mutants) {
      if (mutant.state === 'lost') report({ kind: 'decided', outcome: 'lost', id: mutant.id })
      if (mutant.state === 'open' && mutant.tries > 0 && mutant.waiting.length + mutant.whole.length === 0) {
        mutant.state = 'survived'
        report({ kind: 'decided', outcome: 'survived', id: mutant.id, tries: mutant.tries })
      }
      if (mutant.state === 'lost') mutant.state = 'given_up'
    }
  }
}

const keyOf = (id, { file, test }) => JSON.stringify([id, file, test])
