// Runs the tests of a file in a worker of Vitest: once, to see which mutants they reach, or again and again with another
// mutant each time. Vitest loads it as its `runner`.
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

const vitest = await import(process.env.ASSAY_VITEST)
const Base = vitest.VitestTestRunner ?? vitest.TestRunner
const original = 0
// Tests can replace them.
const { Map, Set } = globalThis
const { pid } = process

export default class MutantRunner extends Base {
  #plan = readPlan()
  #names
  /** What runs before, between and after the tests. */
  #outside
  #whole
  /** Whether a test left the program in another state than it found. */
  #unclean

  constructor(config) {
    super(config)
    if (this.#plan.timeoutMs) this.config.testTimeout = this.config.hookTimeout = this.#plan.timeoutMs
  }

  onBeforeCollect(paths) {
    // A worker without isolation runs several files.
    this.#names = new Map()
    this.#outside = new Set()
    this.#whole = null
    this.#unclean = false
    const [path] = paths
    report({ kind: 'begun', file: path, pid })
    const { whole, ms } = this.#plan.files?.[path] ?? {}
    if (this.#plan.kind === 'reach') collect(this.#outside)
    else if (whole) this.#whole = { id: whole, chosen: choose(whole, limitOf(ms)) }
    return super.onBeforeCollect?.(paths)
  }

  onCollected(files) {
    // Two tests at once would run with the same mutant.
    for (const file of files) each(file, (task) => (task.concurrent = false))
    return super.onCollected?.(files)
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test)
    const name = nameOf(test)
    const count = (this.#names.get(name) ?? 0) + 1
    this.#names.set(name, count)
    test.assay = { name: count === 1 ? name : `${name} #${count}`, tried: [] }
    if (test.mode !== 'run' && test.mode !== 'queued') return
    test.retry = 0
    test.repeats = 0
    if (this.#whole && this.#plan.files[test.file.filepath].failing.includes(test.assay.name)) test.mode = 'skip'
    else if (this.#plan.kind === 'try' && !this.#whole) this.#repeat(test)
  }

  /** Repeats the test for each mutant that no test has noticed yet, and at last with the original code. */
  #repeat(test) {
    const { assay } = test
    const { ids = [], ms = 0 } = this.#plan.files[test.file.filepath]?.tests[assay.name] ?? {}
    const gone = noticed()
    assay.limit = limitOf(ms)
    assay.ids = this.#unclean || epoch() > this.#plan.stopAt ? [] : ids.filter((id) => !gone.has(id))
    if (assay.ids.length === 0) test.mode = 'skip'
    else test.repeats = assay.ids.length
  }

  onBeforeTryTask(test, attempt) {
    const { assay } = test
    if (assay.isOpen) this.#end(test, isFailed(test))
    // Vitest 3 and earlier keep the failure of an earlier repetition.
    test.result.state = 'run'
    test.result.errors = undefined
    assay.isOpen = true
    assay.from = now()
    if (this.#plan.kind === 'reach') assay.probes = collect(new Set())
    if (assay.ids) {
      assay.id = assay.ids[attempt.repeats] ?? original
      assay.chosen = choose(assay.id, assay.limit)
    }
    return super.onBeforeTryTask?.(test, attempt)
  }

  onAfterRetryTask(test, attempt) {
    this.#end(test, isFailed(test))
    return super.onAfterRetryTask?.(test, attempt)
  }

  onAfterRunTask(test) {
    // Vitest 3 and earlier tell nothing after each repetition, and have turned the result of a test that has to fail.
    if (test.assay?.isOpen) this.#end(test, test.result.state === 'fail')
    return super.onAfterRunTask?.(test)
  }

  /** Takes the result of one repetition, whose hooks have run. */
  #end(test, failed) {
    const { assay } = test
    assay.isOpen = false
    const about = { file: test.file.filepath, test: assay.name }
    if (this.#plan.kind === 'reach') {
      collect(this.#outside)
      const ms = Math.round((now() - assay.from) * 10) / 10
      report({ kind: 'reach', ...about, ms, failed, probes: [...assay.probes] })
    } else if (assay.ids) {
      const took = assay.chosen.end()
      const outcome = outcomeOf(took, failed)
      if (assay.id !== original) {
        assay.tried.push({ kind: 'tried', ...about, id: assay.id, outcome, ms: took.ms, ...whyOf(test, failed) })
      } else {
        this.#finish(test, failed, took)
      }
    }
  }

  #finish({ assay, file }, failed, took) {
    if (failed) {
      this.#unclean = true
      report({ kind: 'unclean', file: file.filepath, test: assay.name, ids: assay.ids })
      return
    }
    report(...assay.tried, reachedAgain(file.filepath, assay.name, took))
    note(assay.tried.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed_out').map(({ id }) => id))
  }

  async onAfterRunFiles(files) {
    await super.onAfterRunFiles?.(files)
    const [file] = files
    report({ kind: 'done', files: [file.filepath] })
    if (this.#plan.kind === 'reach') {
      mutants.reach = null
      let failure
      // Also a suite has errors, such as of a hook.
      each(file, (task) => (failure ??= task.type === 'test' ? undefined : task.result?.errors?.[0]))
      // Its tests are not known, so that a later measurement has to run it again.
      if (failure) report(notAllRan(file.filepath, failure.message))
      else report({ kind: 'load', file: file.filepath, probes: [...this.#outside], ms: file.collectDuration ?? 0 })
    } else if (this.#whole) {
      const took = this.#whole.chosen.end()
      let failed = null
      each(file, (task) => {
        if (task.result?.state === 'fail') failed = task
      })
      const outcome = outcomeOf({ ...took, ran: true }, failed !== null)
      const test = failed && failed !== file ? nameOf(failed) : null
      report({
        kind: 'tried',
        file: file.filepath,
        test,
        id: this.#whole.id,
        outcome,
        ms: took.ms,
        ...(failed && whyOf(failed, true)),
      })
      if (outcome !== 'passed') note([this.#whole.id])
    }
  }
}

/** Whether one repetition of a test failed. */
const isFailed = (test) => (test.result.state === 'fail') !== (test.fails === true)

function whyOf({ result }, failed) {
  const [error] = failed ? (result?.errors ?? []) : []
  return error ? { error: error.name, message: short(error.message) } : {}
}

function each(task, visit) {
  visit(task)
  for (const child of task.tasks ?? []) each(child, visit)
}

function nameOf(test) {
  const names = [test.name]
  for (let suite = test.suite; suite && suite !== test.file; suite = suite.suite) names.unshift(suite.name)
  return names.join(' > ')
}
