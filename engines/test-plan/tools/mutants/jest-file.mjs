// Runs the tests of a file with Jest: once, to see which mutants they reach, or again and again with another mutant each
// time. A test has a copy in its block for each mutant, so that the hooks of the block run for each.
import {
  choose,
  collect,
  epoch,
  limitOf,
  mutants,
  notAllRan,
  note,
  noticed,
  now,
  outcomeOf,
  reachedAgain,
  readPlan,
  report,
  short,
} from './shared.mjs'

const original = 0
const retries = ['RETRY_TIMES', 'RETRY_IMMEDIATELY', 'WAIT_BEFORE_RETRY'].map((name) => Symbol.for(name))

export function beginFile(path) {
  const plan = readPlan()
  return plan.kind === 'reach' ? new Reach(path, plan) : new (plan.files[path].whole ? Whole : Repeat)(path, plan)
}

/** A run of a test file. */
class File {
  path
  plan
  #names = new Map()
  #expect
  #environment

  constructor(path, plan) {
    this.path = path
    this.plan = plan
  }

  /** Shows the mutants to the code in an environment, and follows its tests. */
  enter(environment) {
    this.#environment = environment
    // Jest clears the objects that it finds in the environment at the end.
    environment.global.__assayMutants__ = {
      get active() {
        return mutants.active
      },
      get reach() {
        return mutants.reach
      },
      check: () => mutants.check(),
      run: () => mutants.run(),
    }
    const handle = environment.handleTestEvent?.bind(environment)
    environment.handleTestEvent = async (event, state) => {
      await handle?.(event, state)
      this.#follow(event, state)
    }
  }

  #follow(event, state) {
    const { name, test } = event
    if (name === 'setup') this.#expect = event.runtimeGlobals.expect
    else if (name === 'run_start') this.#prepare(state)
    else if (name === 'test_start') {
      // The numbers of its snapshots begin again with each run of a test.
      this.#expect?.getState().snapshotState?.clear()
      if (test.assay) this.begin(test)
    } else if (name === 'test_skip') {
      this.skip()
    } else if (name === 'test_done') {
      if (test.assay) this.finish(test)
      test.errors = []
    } else if (name === 'run_finish') {
      this.errors(state.unhandledErrors)
      // Nobody reads the results of the copies.
      state.rootDescribeBlock.children = []
    }
  }

  #prepare(state) {
    for (const name of retries) delete this.#environment.global[name]
    if (state.describeRetryOptions) state.describeRetryOptions = new WeakMap()
    if (this.plan.timeoutMs) state.testTimeout = this.plan.timeoutMs
    const visit = (block) => {
      block.children = block.children.flatMap((child) => {
        if (child.type === 'test') return this.#named(child)
        visit(child)
        return [child]
      })
    }
    visit(state.rootDescribeBlock)
    this.ready()
  }

  #named(test) {
    // Two tests at once would run with the same mutant.
    test.concurrent = false
    if (test.mode === 'skip' || test.mode === 'todo') return [test]
    const names = [test.name]
    for (let block = test.parent; block?.parent; block = block.parent) names.unshift(block.name)
    const name = names.join(' > ')
    const count = (this.#names.get(name) ?? 0) + 1
    this.#names.set(name, count)
    return this.runsOf(test, count === 1 ? name : `${name} #${count}`)
  }

  ready() {}
  skip() {}
  errors(_unhandled) {}
}

class Reach extends File {
  #from = now()
  #loadMs = 0
  /** What runs before, between and after the tests. */
  #outside = collect(new Set())

  ready() {
    this.#loadMs = Math.round(now() - this.#from)
  }

  runsOf(test, name) {
    test.assay = { name }
    return [test]
  }

  begin({ assay }) {
    assay.from = now()
    assay.probes = collect(new Set())
  }

  skip() {
    collect(this.#outside)
  }

  finish({ assay, errors }) {
    this.skip()
    const ms = Math.round((now() - assay.from) * 10) / 10
    const failed = errors.length > 0
    report({ kind: 'reach', file: this.path, test: assay.name, ms, failed, probes: [...assay.probes] })
  }

  leave(failure) {
    mutants.reach = null
    // Its tests are not known, so that a later measurement has to run it again.
    if (failure) report(notAllRan(this.path, failure.message))
    else report({ kind: 'load', file: this.path, ms: this.#loadMs, probes: [...this.#outside] })
  }
}

/** Runs a whole file with a mutant. */
class Whole extends File {
  #about = this.plan.files[this.path]
  #chosen = choose(this.#about.whole, limitOf(this.#about.ms))
  #failure = null

  runsOf(test, name) {
    if (this.#about.failing.includes(name)) return []
    test.assay = { name }
    return [test]
  }

  begin() {}

  finish({ assay, errors: [error] }) {
    if (error !== undefined) this.#failure ??= { test: assay.name, ...whyOf(error) }
  }

  errors([error]) {
    if (error !== undefined) this.#failure ??= { test: null, ...whyOf(error) }
  }

  leave(error) {
    if (error) this.#failure ??= { test: null, ...whyOf(error) }
    const took = this.#chosen.end()
    // From here on the process tries no mutant.
    choose(original, 0).end()
    const id = this.#about.whole
    const outcome = outcomeOf({ ...took, ran: true }, this.#failure !== null)
    report({ kind: 'tried', file: this.path, test: null, id, outcome, ms: took.ms, ...this.#failure })
    if (outcome !== 'passed') note([id])
  }
}

/** Runs each test of a file again for each of its mutants, and at last with the original code. */
class Repeat extends File {
  /** Whether a test left the program in another state than it found. */
  #isUnclean = false

  runsOf(test, name) {
    const { ids = [], ms = 0 } = this.plan.files[this.path].tests[name] ?? {}
    if (ids.length === 0) return []
    const shared = { name, tried: [], gone: null, limit: limitOf(ms) }
    const timeout = Math.min(test.timeout ?? Infinity, shared.limit)
    return [...ids, original].map((id) => ({ ...test, errors: [...test.errors], timeout, assay: { shared, id } }))
  }

  begin(test) {
    const { shared, id } = test.assay
    if (this.#isDue(shared, id)) test.assay.chosen = choose(id, shared.limit)
    else test.mode = 'skip'
  }

  #isDue(shared, id) {
    if (this.#isUnclean) return false
    if (id === original) return shared.tried.length > 0
    shared.gone ??= noticed()
    return epoch() < this.plan.stopAt && !shared.gone.has(id)
  }

  finish({ assay: { shared, id, chosen }, errors: [error] }) {
    const failed = error !== undefined
    const took = chosen.end()
    const about = { file: this.path, test: shared.name }
    if (id !== original) {
      const outcome = outcomeOf(took, failed)
      shared.tried.push({ kind: 'tried', ...about, id, outcome, ms: took.ms, ...(failed && whyOf(error)) })
    } else if (failed) {
      this.#isUnclean = true
      report({ kind: 'unclean', ...about, ids: shared.tried.map((one) => one.id) })
    } else {
      report(...shared.tried, reachedAgain(this.path, shared.name, took))
      note(shared.tried.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed_out').map((one) => one.id))
    }
  }

  leave() {}
}

/** Jest keeps an error with the one that shows the place of the test. */
function whyOf(kept) {
  const [error, place] = Array.isArray(kept) ? kept : [kept]
  const shown = error ?? place
  return { error: shown?.name ?? 'Error', message: short(shown?.message ?? shown) }
}
