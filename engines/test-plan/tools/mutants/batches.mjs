// Decides which tests try which mutants next. Knows nothing of a runner.
import { inRoot, report } from './shared.mjs'

/** A mutant that many tests reach is tried by these first, because most mutants are noticed by the first test. */
const firstTests = 8
/** A file takes long to load, so that the first tests are of few files. */
const firstFiles = 8
const firstBatch = 50
const batchMs = 8_000
/** A try can get lost with its process, or because of another test. After so many times only the whole file can tell. */
const maxAttempts = 3
/** How much more time a mutant has that took too long. */
const patience = 2
const leastMs = 50

export class Batches {
  /** What is known of each mutant, best first. `waiting` are tries of single tests, `whole` of whole files. */
  #mutants = []
  #byId = new Map()
  #pending = []
  /** Tries that took too long. */
  #slow = []
  /** Whether the present tries are such ones again. */
  isAgain = false
  #workers
  #last
  #unsound
  #oneProcess
  /** The probes of mutants that a test reached the first time, and the path of each probe. */
  #reach = new Map()
  #pathsOf = new Map()
  #size = firstBatch
  /** How long a file takes, in milliseconds, and the tests that fail without a mutant. */
  #files = new Map()
  /** How long it takes to load each file. */
  #loads = new Map()
  /** The mutants that are decided first, all rounds, and how long that took so far. */
  #best = []
  #spent = { ms: 0, loading: 0 }

  /**
   * @param wanted - `{ id, probe }`, best first. With `isDone`, only its reach is of interest. `first`, `{ path, test }`, is likely to notice the mutant. The tests of
   *   the files `accepted`, positions in `testFiles`, are known to accept it.
   * @param reached - events of kind `reach` and `load`
   * @param workers - how many files run at once
   * @param testFiles - paths of test files
   * @param how.dependent - paths of test files whose tests depend on each other: a mutant that each of them accepts alone
   *   runs from the start of the file, too
   * @param how.last - paths of files that have ended the driver once, so that they try mutants from a fresh start, alone and
   *   after the others
   * @param how.left - paths of files that have done so again, and try none
   * @param how.unsound - files that do not run all their tests without a mutant. They try none from a fresh start, because
   *   that would fail anyway.
   * @param how.oneProcess - whether the runner runs all files in one process
   */
  constructor(
    wanted,
    reached,
    workers = 1,
    testFiles = [],
    { dependent = [], last = [], left = [], unsound = [], oneProcess = false } = {},
  ) {
    this.#workers = workers
    this.#last = new Set(last)
    this.#unsound = new Set(unsound)
    this.#oneProcess = oneProcess
    const leftOut = new Set(left)
    const byProbe = new Map()
    for (const { probe, path } of wanted) if (path !== undefined) this.#pathsOf.set(probe, path)
    for (const { id, probe, path, first = null, accepted = [] } of wanted.filter((one) => !one.isDone)) {
      const known = new Set(accepted.map((index) => testFiles[index]))
      const mutant = {
        id,
        path,
        first,
        known,
        waiting: [],
        whole: [],
        tries: 0,
        isKnown: false,
        isHeld: false,
        round: 0,
        state: 'open',
      }
      this.#mutants.push(mutant)
      this.#byId.set(id, mutant)
      byProbe.set(probe, [...(byProbe.get(probe) ?? []), mutant])
    }
    for (const { kind, file, test, ms, probes, failed } of reached) {
      const known = this.#files.get(file) ?? { ms: 0, failing: [] }
      this.#files.set(file, known)
      known.ms += ms
      if (kind === 'load') this.#loads.set(file, ms)
      if (failed) known.failing.push(test)
      if (failed) continue
      if (kind === 'reach')
        this.#reach.set(
          keyOf(null, { file, test }),
          probes.filter((probe) => this.#pathsOf.has(probe)),
        )
      const mutants = probes.flatMap((probe) => byProbe.get(probe) ?? [])
      const path = inRoot(file)
      for (const mutant of mutants) {
        if (mutant.known.has(path)) mutant.isKnown = true
        else if (leftOut.has(path)) mutant.isHeld = true
        else if (kind === 'load' || this.#last.has(path)) this.#addWhole(mutant, file)
        else {
          mutant.waiting.push({ file, test, ms, breadth: mutants.length, attempts: 0 })
          if (dependent.includes(path)) this.#addWhole(mutant, file)
        }
      }
    }
    // Fast tests that reach little notice most per second.
    for (const { first, waiting, whole } of this.#mutants) {
      const later = ({ file, test }) => Number(test !== first?.test || inRoot(file) !== first.path)
      waiting.sort((a, b) => later(a) - later(b) || a.breadth - b.breadth || a.ms - b.ms)
      whole.sort((a, b) => later(a) - later(b))
    }
    this.#decide()
  }

  /** The next tries by file, or null if none is left: `{ [file]: { tests: { [name]: { ms, ids } } } }`. */
  next() {
    const plan = {}
    const isWaiting = (one) => one.state === 'open' && one.waiting.length > 0
    this.#best = this.#best.filter(isWaiting)
    this.#slow = this.#slow.filter(({ mutant }) => mutant.state === 'slow')
    this.isAgain = this.#best.length === 0 && this.#slow.length > 0
    if (this.isAgain) return this.#nextSlow()
    if (this.#best.length === 0) this.#refill(isWaiting)
    if (this.#best.length === 0) return this.#nextWhole()
    const round = Math.min(...this.#best.map((mutant) => mutant.round))
    for (const mutant of this.#best.filter((one) => one.round === round)) {
      for (const attempt of this.#some(mutant, plan)) {
        const tests = (plan[attempt.file] ??= { tests: {} }).tests
        ;(tests[attempt.test] ??= { ms: attempt.ms, ids: [] }).ids.push(mutant.id)
        this.#pending.push({ mutant, attempt })
      }
      mutant.round += 1
    }
    for (const file of Object.keys(plan)) this.#spent.loading += (this.#loads.get(file) ?? 0) / this.#workers
    return plan
  }

  /** Takes the next mutants to decide. More of them at once need no more loading of files, but tell later. */
  #refill(isWaiting) {
    const { ms, loading } = this.#spent
    // Loading should take less than a sixth of the time.
    if (ms > 0) this.#size = Math.ceil(this.#size * Math.min(3, Math.max(0.5, Math.max(batchMs, 6 * loading) / ms)))
    this.#spent = { ms: 0, loading: 0 }
    this.#best = this.#mutants.filter(isWaiting).slice(0, this.#size)
  }

  /** Takes the tests that try a mutant next, and prefers those of files that run anyway. */
  #some(mutant, plan) {
    const { waiting, round } = mutant
    if (waiting.length <= firstTests || round > 0) return waiting.splice(0)
    const isFull = Object.keys(plan).length >= Math.max(firstFiles, this.#size / firstBatch)
    const among = new Set(isFull ? Object.keys(plan) : [...Object.keys(plan), waiting[0].file])
    const taken = waiting.filter(({ file }) => among.has(file)).slice(0, firstTests)
    if (taken.length === 0) taken.push(waiting[0])
    const left = new Set(taken)
    mutant.waiting = waiting.filter((attempt) => !left.has(attempt))
    return taken
  }

  /** Tries of one file that took too long, perhaps because the machine was busy: now nothing runs beside them. */
  #nextSlow() {
    const [{ attempt: first }] = this.#slow
    const isSame = ({ attempt: { file, test } }) => file === first.file && (test === null) === (first.test === null)
    const now = this.#slow.filter(isSame).slice(0, first.test === null ? 1 : undefined)
    this.#slow = this.#slow.filter((one) => !now.includes(one))
    this.#pending = now
    const more = (ms) => patience * Math.max(leastMs, ms)
    if (first.test === null) {
      const { ms, failing } = this.#files.get(first.file)
      return { [first.file]: { whole: now[0].mutant.id, tests: {}, ms: more(ms), failing } }
    }
    const tests = {}
    for (const { mutant, attempt } of now)
      (tests[attempt.test] ??= { ms: more(attempt.ms), ids: [] }).ids.push(mutant.id)
    return { [first.file]: { tests } }
  }

  /**
   * One mutant per file, which runs from the start of the file. If all files run in one process anyway, one mutant first
   * runs with all of its files together.
   */
  #nextWhole() {
    const plan = {}
    const isLast = ({ file }) => this.#last.has(inRoot(file))
    const isFirst = (one) => one.attempts === 0 && !isLast(one)
    const isShared = ({ state, whole }) => state === 'open' && whole.filter(isFirst).length > 1
    const shared = this.#oneProcess ? this.#mutants.find(isShared) : undefined
    if (shared) {
      for (const attempt of shared.whole.filter(isFirst)) {
        plan[attempt.file] = { whole: shared.id, tests: {}, ...this.#files.get(attempt.file) }
        this.#pending.push({ mutant: shared, attempt })
      }
      shared.whole = shared.whole.filter((one) => !isFirst(one))
      return plan
    }
    const take = (isNext) => {
      for (const mutant of this.#mutants) {
        const at = mutant.state === 'open' ? mutant.whole.findIndex((one) => !plan[one.file] && isNext(one)) : -1
        if (at < 0) continue
        const [attempt] = mutant.whole.splice(at, 1)
        plan[attempt.file] = { whole: mutant.id, tests: {}, ...this.#files.get(attempt.file) }
        this.#pending.push({ mutant, attempt })
      }
    }
    take((one) => !isLast(one))
    if (this.#pending.length === 0) take((one) => isLast(one) && Object.keys(plan).length === 0)
    return this.#pending.length > 0 ? plan : null
  }

  /** Takes what a batch has found out in `milliseconds`, and reports the mutants that are decided now. */
  take(events, milliseconds) {
    const seen = new Set()
    for (const event of events) {
      if (event.kind === 'tried') this.#tried(event, seen)
      if (event.kind === 'crashed') this.#crashed(event, seen)
      if (event.kind === 'again') this.#compare(event)
      // Its failures can be the fault of another mutant.
      if (event.kind === 'unclean') for (const id of event.ids) this.#again(id, event, seen)
    }
    for (const { mutant, attempt } of this.#pending) {
      if (!isOpen(mutant) || seen.has(keyOf(mutant.id, attempt))) continue
      // Tests do not try a mutant that another one has just found slow.
      if (mutant.state === 'open' || this.isAgain) attempt.attempts++
      if (attempt.attempts >= maxAttempts) {
        if (attempt.test === null) mutant.state = 'lost'
        else this.#addWhole(mutant, attempt.file)
      } else if (this.isAgain) this.#slow.push({ mutant, attempt })
      else mutant[attempt.test === null ? 'whole' : 'waiting'].push(attempt)
    }
    this.#pending = []
    const slow = new Set(this.#slow.map(({ mutant }) => mutant))
    for (const mutant of this.#mutants) if (mutant.state === 'slow' && !slow.has(mutant)) mutant.state = 'open'
    if (!this.isAgain) this.#spent.ms += milliseconds
    this.#decide()
  }

  #tried(event, seen) {
    const mutant = this.#byId.get(event.id)
    if (!mutant || !isOpen(mutant)) return
    if (event.outcome === 'not_run') return this.#again(event.id, event, seen)
    if (event.outcome === 'timed_out' && !this.isAgain) return this.#postpone(mutant, event, seen)
    seen.add(keyOf(event.id, event))
    mutant.tries++
    if (event.outcome === 'failed' || event.outcome === 'timed_out') {
      mutant.state = 'noticed'
      const { kind: _, outcome, ...by } = event
      // A process that was ended from outside names no test.
      const { file, test } = by.file ? by : (this.#pending.find((one) => one.mutant === mutant)?.attempt ?? by)
      report({ kind: 'decided', outcome: outcome === 'failed' ? 'noticed' : outcome, ...by, file, test })
    }
  }

  /** The test, or each that may have been running, tries the mutant once more. */
  #postpone(mutant, event, seen) {
    const own = this.#pending.filter((one) => one.mutant === mutant && !seen.has(keyOf(mutant.id, one.attempt)))
    for (const one of own) {
      if (event.file && keyOf(mutant.id, one.attempt) !== keyOf(mutant.id, event)) continue
      seen.add(keyOf(mutant.id, one.attempt))
      this.#slow.push(one)
      mutant.state = 'slow'
    }
  }

  /**
   * Looks whether a test with the original code still reaches all that it reached the first time. If not, the code keeps
   * something, such as a table that it makes once. Then changes of its file that the test has accepted need a fresh start.
   */
  #compare({ file, test, probes }) {
    const now = new Set(probes)
    const missing = (this.#reach.get(keyOf(null, { file, test })) ?? []).filter((probe) => !now.has(probe))
    if (missing.length === 0) return
    const paths = new Set(missing.flatMap((probe) => this.#pathsOf.get(probe) ?? []))
    for (const { mutant, attempt } of this.#pending) {
      const isOwn = attempt.file === file && attempt.test === test
      if (isOwn && isOpen(mutant) && paths.has(mutant.path)) this.#addWhole(mutant, file)
    }
  }

  /** The test cannot tell, perhaps because a result is kept from before. The whole file can. */
  #again(id, { file, test }, seen) {
    const mutant = this.#byId.get(id)
    seen.add(keyOf(id, { file, test }))
    if (mutant) this.#addWhole(mutant, file)
  }

  /** A process died while tests of a file tried a mutant. Only a fresh start can tell whether the mutant did it. */
  #crashed({ id, file, isFresh, message }, seen) {
    const own = this.#pending.filter(({ mutant, attempt }) => mutant.id === id && attempt.file === file)
    if (own.some(({ attempt }) => attempt.test === null)) {
      // Else it tries once more, in a process that is.
      if (isFresh) this.#tried({ kind: 'tried', id, file, test: null, ms: null, outcome: 'failed', message }, seen)
      return
    }
    for (const { attempt } of own) seen.add(keyOf(id, attempt))
    const mutant = this.#byId.get(id)
    if (mutant && own.length > 0) this.#addWhole(mutant, file)
  }

  #addWhole(mutant, file) {
    if (this.#unsound.has(file)) mutant.isHeld = true
    else if (!mutant.whole.some((one) => one.file === file)) mutant.whole.push({ file, test: null, attempts: 0 })
  }

  #decide() {
    for (const mutant of this.#mutants) {
      if (mutant.state === 'lost') report({ kind: 'decided', outcome: 'lost', id: mutant.id })
      const { id, tries, isKnown, isHeld, waiting, whole } = mutant
      if (mutant.state === 'open' && !isHeld && (tries > 0 || isKnown) && waiting.length + whole.length === 0) {
        mutant.state = 'survived'
        report({ kind: 'decided', outcome: 'survived', id, ...(tries > 0 ? { tries } : { kept: true }) })
      }
      if (mutant.state === 'lost') mutant.state = 'given_up'
    }
  }
}

const isOpen = ({ state }) => state === 'open' || state === 'slow'

const keyOf = (id, { file, test }) => JSON.stringify([id, file, test])
