// Runs tests in a process of mocha: once, to see which mutants they reach, or each test again and again with another mutant
// each time. A test has a copy in its suite for each mutant, so that the hooks of the suite run for each.
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import {
  append,
  choose,
  collect,
  epoch,
  exit,
  files,
  inRoot,
  limitOf,
  mutants,
  note,
  noticed,
  now,
  outcomeOf,
  parse,
  reachedAgain,
  readPlan,
  replace,
  report,
  short,
  stringify,
} from './shared.mjs'

// Tests can replace all of this.
const { Map, Set } = globalThis
const { pid } = process
const original = 0

const { env } = process
const plan = readPlan()
const only = env.ASSAY_FILES ? parse(env.ASSAY_FILES) : null
const isReach = plan.kind === 'reach'
const isLoad = env.ASSAY_LOAD !== undefined
const [wholeFile] = only ?? []
const isWhole = !isReach && plan.files[wholeFile]?.whole !== undefined
const wholeMs = isWhole ? only.reduce((sum, file) => sum + (plan.files[file]?.ms ?? 0), 0) : 0
const isOriginal = env.ASSAY_ORIGINAL !== undefined

/** What runs outside of tests, by file. What belongs to no file counts for each. */
const outside = new Map()
const outsideOf = (file) => outside.get(file) ?? outside.set(file, new Set()).get(file)
let area = null
if (isReach) collect(outsideOf(area))
const whole = isWhole ? choose(isOriginal ? original : plan.files[wholeFile].whole, limitOf(wholeMs)) : null
let firstFailure = {}
let current = null
let isUnclean = false
/** How many runs of each file are left. */
const left = new Map()

const mochaModule = createRequire(realpathSync(process.argv[1]))('mocha')
adapt(mochaModule.default ?? mochaModule)

process.once('exit', () => {
  if (current) settle(true, new Error('The test did not end.'))
  if (!whole) return
  replace(files.whole(pid), stringify({ took: whole.end(), why: firstFailure }))
})

function adapt({ prototype }) {
  const { run, loadFiles, loadFilesAsync } = prototype
  const restrict = (mocha) => {
    leaveChildrenAlone(mocha)
    if (isReach && !only) mocha.files = mocha.files.filter((file) => !plan.known.includes(inRoot(resolve(file))))
    if (only) mocha.files = mocha.files.filter((file) => only.includes(resolve(file)) || isSetUp(mocha, file))
  }
  prototype.loadFiles = function (...args) {
    restrict(this)
    return loadFiles.apply(this, args)
  }
  if (loadFilesAsync)
    prototype.loadFilesAsync = function (...args) {
      restrict(this)
      return loadFilesAsync.apply(this, args)
    }
  prototype.run = function (done) {
    // A reporter that prints nothing.
    this.reporter(function () {})
    const runner = run.call(this, (failures) => {
      // An open handle can keep the process.
      if (isReach) reportLoads(this)
      if (!isWhole) exit(0)
      done?.(failures)
    })
    if (isLoad) {
      reportLoads(this)
      exit(0)
    }
    follow(runner)
    return runner
  }
}

/** The files of `--file` run before all others. */
function isSetUp({ options }, file) {
  return [options?.file ?? []].flat().some((one) => resolve(one) === resolve(file))
}

function leaveChildrenAlone(mocha) {
  if (leaveChildrenAlone.isDone) return
  leaveChildrenAlone.isDone = true
  for (const name of ['ASSAY_MUTANTS', 'ASSAY_FILES', 'ASSAY_LOAD', 'ASSAY_ORIGINAL']) delete env[name]
  env.NODE_OPTIONS = (env.NODE_OPTIONS ?? '')
    .split(' ')
    .filter((word) => !word.endsWith('/mocha-preload.mjs'))
    .join(' ')
    .trim()
  if (env.NODE_OPTIONS === '') delete env.NODE_OPTIONS
  if (!isReach || only) return
  const { execPath, execArgv, argv } = process
  const loaded = mocha.files.map((file) => resolve(file)).filter((file) => !isSetUp(mocha, file))
  const { file = [], require = [] } = mocha.options ?? {}
  const setUp = [file, require].flat().map((one) => resolve(one))
  const started = { execPath, execArgv, args: argv.slice(1), env: { ...env }, cwd: process.cwd(), files: loaded, setUp }
  append(files.processes, `${stringify(started)}\n`)
}

function reportLoads({ files: loaded }) {
  mutants.reach = null
  const ms = isLoad ? Math.round(now()) : 0
  for (const file of (only ?? loaded).map((one) => resolve(one))) {
    report({ kind: 'load', file, ms, probes: [...new Set([...outsideOf(null), ...outsideOf(file)])] })
  }
}

function follow(runner) {
  runner.once('start', () => {
    const counts = new Map()
    const visit = (suite) => {
      suite.bail(false)
      suite.tests = suite.tests.flatMap((test) => copiesOf(test, counts))
      suite.suites.forEach(visit)
    }
    visit(runner.suite)
  })
  runner.on('suite', (suite) => enter(suite.file ?? null))
  runner.on('suite end', (suite) => {
    finishRun()
    enter(suite.parent?.file ?? null)
  })
  runner.on('test', (test) => {
    finishRun()
    if (test.assay) begin(test.assay)
  })
  runner.on('fail', (failed, error) => {
    // A hook before all tests of a suite fails without a test.
    if (current) current.failure ??= { error }
    else firstFailure = firstFailure.message ? firstFailure : { test: null, ...whyOf(error) }
  })
  runner.on('pending', () => {
    if (current && !current.failure) current.isIgnored = true
  })
  if (!isReach && !isWhole) continueAfterHooks(runner)
}

function enter(file) {
  area = file
  if (isReach && !current) collect(outsideOf(area))
}

/** A hook that fails would end the suite, and with it the runs of other mutants. */
function continueAfterHooks(runner) {
  const { hookDown, hookUp } = runner
  runner.hookDown = function (name, done) {
    return hookDown.call(runner, name, (error, suite) => {
      if (!error || !runner.test || runner.test.isPending()) return done(error, suite)
      // The hooks after the test run, and the test does not.
      runner.test.pending = true
      return done(undefined, suite)
    })
  }
  runner.hookUp = function (name, done) {
    return hookUp.call(runner, name, (error, suite) => {
      if (!error) return done()
      const before = runner.suite
      if (!suite?.parent) return done()
      runner.suite = suite.parent
      return runner.hookUp(name, () => {
        runner.suite = before
        done()
      })
    })
  }
}

/** The runs of a test, which differ in their mutant. The last one shows that the original code still passes. */
function copiesOf(test, counts) {
  const file = test.file ?? test.parent.file
  test.retries(0)
  if (test.isPending() || !file) return isReach || isWhole ? [test] : []
  const names = [test.title]
  for (let suite = test.parent; suite && !suite.root; suite = suite.parent) names.unshift(suite.title)
  const fullName = names.join(' > ')
  const key = stringify([file, fullName])
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  const shared = { file, name: count === 1 ? fullName : `${fullName} #${count}`, tried: [], gone: null, limit: null }
  const runOf = (id) => ({ test: shared, id, failure: null, isIgnored: false })
  if (isReach || isWhole) {
    if (isWhole && plan.files[file]?.failing.includes(shared.name)) return []
    test.assay = runOf(null)
    return [test]
  }
  const { ids = [], ms = 0 } = plan.files[file]?.tests[shared.name] ?? {}
  if (ids.length === 0) return []
  shared.limit = limitOf(ms)
  left.set(file, (left.get(file) ?? 0) + ids.length + 1)
  return [...ids, original].map((id) => copyOf(test, runOf(id)))
}

function copyOf(test, run) {
  const copy = test.clone()
  copy.assay = run
  copy.retries(0)
  const timeout = copy.timeout()
  copy.timeout(timeout > 0 ? Math.min(timeout, run.test.limit) : run.test.limit)
  let isDecided = false
  // Mocha asks for the first time right before the hooks of the test.
  copy.isPending = function () {
    if (!isDecided) {
      isDecided = true
      finishRun()
      if (!isDue(run)) {
        copy.pending = true
        count(run.test.file)
      }
    }
    return Object.getPrototypeOf(copy).isPending.call(copy)
  }
  return copy
}

function isDue({ test, id }) {
  if (isUnclean) return false
  if (id === original) return test.tried.length > 0
  test.gone ??= noticed()
  return epoch() < plan.stopAt && !test.gone.has(id)
}

function begin(run) {
  current = run
  run.from = now()
  if (isReach) run.probes = collect(new Set())
  if (run.test.limit !== null) run.chosen = choose(run.id, run.test.limit)
}

/** The hooks after a test have run when the next one begins. */
function finishRun() {
  if (current) settle(current.failure !== null, current.failure?.error)
}

function settle(failed, error) {
  const run = current
  const { test, id } = run
  current = null
  if (isReach) {
    collect(outsideOf(area))
    const ms = Math.round((now() - run.from) * 10) / 10
    const about = { kind: 'reach', file: test.file, test: test.name, ms, failed }
    if (!run.isIgnored) report({ ...about, probes: [...run.probes] })
    return
  }
  const why = failed ? whyOf(error) : {}
  if (isWhole) {
    if (failed && !firstFailure.test) firstFailure = { test: test.name, ...why }
    return
  }
  const took = run.chosen.end()
  const outcome = outcomeOf(took, failed)
  if (id !== original)
    test.tried.push({ kind: 'tried', file: test.file, test: test.name, id, outcome, ms: took.ms, ...why })
  else finish(test, failed, took)
  count(test.file)
}

function finish({ file, name, tried }, failed, took) {
  if (failed) {
    isUnclean = true
    report({ kind: 'unclean', file, test: name, ids: tried.map(({ id }) => id) })
    return
  }
  report(...tried, reachedAgain(file, name, took))
  note(tried.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed_out').map(({ id }) => id))
}

/** Notes that a file is done, unless another one may have spoiled it: then it runs again in another process. */
function count(file) {
  left.set(file, left.get(file) - 1)
  if (left.get(file) === 0 && !isUnclean) append(files.done, `${file}\n`)
}

function whyOf(error) {
  return { error: error?.name ?? 'Error', message: short(error?.message ?? error) }
}
