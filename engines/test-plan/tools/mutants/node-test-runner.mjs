// Runs the tests of a file in a process of their own: once, to see which mutants they reach, or each test again and again
// with another mutant each time. `node:test` itself runs all of them, with its hooks, suites and timeouts; the test file
// gets a stand-in for it that registers a test several times.
import { AsyncLocalStorage } from 'node:async_hooks'
import module, { createRequire } from 'node:module'
import { isSet, readArguments, wrapped } from './node-test-arguments.mjs'
import { endLate, whenEnded } from './node-test-ends.mjs'
import { replaceNodeTest } from './node-test-stand-in.mjs'
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
  notAllRan,
  note,
  noticed,
  now,
  outcomeOf,
  reachedAgain,
  readPlan,
  replace,
  report,
  short,
  stringify,
} from './shared.mjs'

// Tests can replace all of this.
const { Map, Set, Promise, setTimeout, clearTimeout } = globalThis
const { pid } = process
const original = 0

const file = process.argv[1]
const plan = readPlan()
const isReach = plan.kind === 'reach'
const mine = plan.files?.[file]
const isWhole = mine?.whole !== undefined
if (isReach) {
  noteProcess()
  if (plan.known.includes(inRoot(file))) exit(0)
  report({ kind: 'begun', file, pid })
}
const isOriginal = process.env.ASSAY_ORIGINAL !== undefined
// The processes that the tests start run as they are.
for (const name of ['ASSAY_MUTANTS', 'ASSAY_ORIGINAL']) delete process.env[name]
process.env.NODE_OPTIONS = withoutPreload(process.env.NODE_OPTIONS ?? '')
if (process.env.NODE_OPTIONS === '') delete process.env.NODE_OPTIONS

/** What runs before, between and after the tests. */
const outside = new Set()
let testsMs = 0
if (isReach) collect(outside)
const whole = isWhole ? choose(isOriginal ? original : mine.whole, limitOf(mine.ms)) : null
let firstFailure = {}
/** Whether a hook after all tests failed. The runner of `--test` sees it, but the process of the file ends well. */
let hasFailedAfter = false

const real = createRequire(import.meta.url)('node:test')
/** The suite or test whose code registers tests. */
const place = new AsyncLocalStorage()
const top = { path: [], isTodo: false, isTest: false }
const counts = new Map()
/** The runs of tests that have not begun, by the name that `node:test` gives the test. */
const waiting = new Map()
/** The run that has begun and not ended. There is one at a time. */
let current = null
/** Whether a test left the program in another state than it found. */
let isUnclean = false
/** Whether a test fails without a mutant. */
let hasFailed = false

process.once('exit', (code) => {
  if (current) settle(current, { failed: true, error: new Error('The test did not end.') })
  if (isReach) {
    mutants.reach = null
    report({ kind: 'done', files: [file] })
    // Such as an import or a hook that failed.
    if (code !== 0 && !hasFailed)
      report(notAllRan(file, `their process ended with code ${code}, and no test had failed.`))
    else report({ kind: 'load', file, probes: [...outside], ms: Math.round(now() - testsMs) })
  } else if (whole) {
    replace(files.whole(pid), stringify({ took: whole.end(), why: firstFailure }))
    if (hasFailedAfter) process.exitCode ||= 1
  }
})

if (module.registerHooks) replaceNodeTest(standIn(), follow)

function noteProcess() {
  const { execPath, execArgv, argv, version } = process
  const env = { ...process.env, NODE_OPTIONS: withoutPreload(process.env.NODE_OPTIONS ?? '') }
  const about = module.registerHooks
    ? { file, execPath, execArgv, args: argv.slice(2), env, cwd: process.cwd() }
    : { unsupported: version }
  append(files.processes, `${stringify(about)}\n`)
}

function withoutPreload(options) {
  return options
    .split(' ')
    .filter((word) => !word.endsWith('/node-test-preload.mjs'))
    .join(' ')
    .trim()
}

/** Has `node:test` say when tests begin and end, before the hooks of the test file are registered. */
function follow() {
  real.beforeEach(begin)
  real.afterEach(endLate)
}

function standIn() {
  const test = registering(real.test, registerTest)
  const suite = registering(real.suite ?? real.describe, registerSuite)
  const own = new Set([...Object.getOwnPropertyNames(test), 'default'])
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(real)))
    if (!own.has(name)) Object.defineProperty(test, name, property)
  const after = (fn, options) => real.after(typeof fn === 'function' ? watched(fn) : fn, options)
  for (const [name, value] of Object.entries({ test, it: test, suite, describe: suite, after }))
    Object.defineProperty(test, name, { value, enumerable: true, configurable: true, writable: true })
  return test
}

/** A hook that notes that it failed. */
function watched(fn) {
  const failed = (error) => {
    hasFailedAfter = true
    if (!firstFailure.test) firstFailure = { test: null, ...whyOf(error) }
    throw error
  }
  return wrapped(fn, (self, [context, done]) => {
    try {
      const isDone = done && ((error) => (error ? ((hasFailedAfter = true), done(error)) : done()))
      const result = fn.call(self, context, isDone)
      return result?.then ? result.then(undefined, failed) : result
    } catch (error) {
      return failed(error)
    }
  })
}

function registering(method, register) {
  const standIn = (...args) => register(method, args, {})
  for (const keyword of ['skip', 'todo', 'only', 'expectFailure'])
    if (method[keyword]) standIn[keyword] = (...args) => register(method[keyword], args, { [keyword]: true })
  return standIn
}

function registerSuite(method, args, given) {
  const { name, options, fn } = readArguments(args)
  const around = place.getStore() ?? top
  if (around.isTest || typeof fn !== 'function') return method(...args)
  const isTodo = around.isTodo || isSet(given.todo) || isSet(options.todo)
  const inner = { path: [...around.path, name], isTodo, isTest: false }
  // Two tests at once would run with the same mutant.
  return method(name, { ...options, concurrency: 1 }, function (...values) {
    return place.run(inner, () => fn.apply(this, values))
  })
}

function registerTest(method, args, given) {
  const { name, options, fn } = readArguments(args)
  const around = place.getStore() ?? top
  if (around.isTest || typeof fn !== 'function' || isSet(given.skip) || isSet(options.skip)) return method(...args)
  const fullName = [...around.path, name].join(' > ')
  const count = (counts.get(fullName) ?? 0) + 1
  counts.set(fullName, count)
  // The runner accepts failures of such a test.
  const isTodo = around.isTodo || isSet(given.todo) || isSet(options.todo)
  const test = { name: count === 1 ? fullName : `${fullName} #${count}`, tried: [], gone: null, limit: null }
  const runs = runsOf(test, isTodo)
  if (runs.length === 0) return method(name, { ...options, skip: true }, fn)
  const timeout = test.limit === null ? {} : { timeout: Math.min(options.timeout ?? Infinity, test.limit) }
  const done = runs.map((run) => {
    run.fullName = fullName
    if (!waiting.has(fullName)) waiting.set(fullName, new Set())
    waiting.get(fullName).add(run)
    return method(name, { ...options, ...timeout }, repeated(run, fn))
  })
  return Promise.all(done).then(() => undefined)
}

/** The runs of a test, which differ in their mutant. The last one shows that the original code still passes. */
function runsOf(test, isTodo) {
  const runOf = (id) => ({ test, id, isTodo, failed: false, error: null, open: 0 })
  if (isReach) return [runOf(null)]
  if (isWhole) return mine.failing.includes(test.name) ? [] : [runOf(null)]
  const { ids = [], ms = 0 } = mine?.tests[test.name] ?? {}
  if (ids.length === 0 || isTodo) return []
  test.limit = limitOf(ms)
  return [...ids, original].map(runOf)
}

function repeated(run, fn) {
  return wrapped(fn, (self, values) => {
    if (current !== run && !run.isSkipped) start(run, values[0])
    const inner = { path: [], isTodo: false, isTest: true }
    return run.isSkipped ? values[1]?.() : place.run(inner, () => fn.apply(self, values))
  })
}

/** Runs before the hooks of all suites. */
function begin(context) {
  if (!context?.after) return
  const { fullName } = context
  if (current && fullName.startsWith(`${current.fullName} > `)) {
    const outer = current
    outer.open += 1
    whenEnded(context, ({ failed, error, isIgnored }) => {
      outer.open -= 1
      if (!failed || isIgnored) return
      outer.failed = true
      outer.error ??= error
    })
    return
  }
  const [run] = waiting.get(fullName) ?? []
  if (run) start(run, context)
}

function start(run, context) {
  // Only a hook that failed at the end of a test keeps it from ending.
  if (current) settle(current, { failed: true, error: new Error('A hook failed after the test.') })
  const { test } = run
  waiting.get(run.fullName).delete(run)
  if (test.limit !== null && !isDue(run)) {
    run.isSkipped = true
    return
  }
  current = run
  whenEnded(context, (end) => {
    if (current === run) settle(run, end)
  })
  run.from = now()
  if (isReach) run.probes = collect(new Set())
  if (test.limit === null) return
  run.chosen = choose(run.id, test.limit)
  // Without it, the process could end while the test waits for what a mutant took away.
  run.alive = setTimeout(() => {}, 2 * test.limit + 1_000)
}

function isDue({ test, id }) {
  if (id === original) return test.tried.length > 0
  test.gone ??= noticed()
  return !isUnclean && epoch() < plan.stopAt && !test.gone.has(id)
}

function settle(run, end) {
  current = null
  clearTimeout(run.alive)
  const { test, id } = run
  const isIgnored = run.isTodo || end.isIgnored
  const failed = !isIgnored && (end.failed || run.failed || run.open > 0)
  if (isReach) {
    collect(outside)
    const ms = Math.round((now() - run.from) * 10) / 10
    testsMs += ms
    hasFailed ||= failed
    if (!isIgnored) report({ kind: 'reach', file, test: test.name, ms, failed, probes: [...run.probes] })
    return
  }
  const why = failed ? whyOf(end.error ?? run.error) : {}
  if (isWhole) {
    if (failed && firstFailure.test === undefined) firstFailure = { test: test.name, ...why }
    return
  }
  const took = run.chosen.end()
  const outcome = outcomeOf(took, failed)
  if (id !== original) test.tried.push({ kind: 'tried', file, test: test.name, id, outcome, ms: took.ms, ...why })
  else finish(test, failed, took)
}

function finish({ name, tried }, failed, took) {
  if (failed) {
    isUnclean = true
    report({ kind: 'unclean', file, test: name, ids: tried.map(({ id }) => id) })
    return
  }
  report(...tried, reachedAgain(file, name, took))
  note(tried.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed_out').map(({ id }) => id))
}

function whyOf(error) {
  const cause = error?.code === 'ERR_TEST_FAILURE' ? (error.cause ?? error) : error
  return cause === undefined || cause === null
    ? {}
    : { error: cause.name ?? 'Error', message: short(cause.message ?? cause) }
}
