// Tries mutants with Vitest, which stays loaded between them: `node vitest.mjs <the arguments of vitest>`.
import { readFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isKnown, isLast, stopAt, tryMutants, workers } from './host.mjs'
import { report, short } from './shared.mjs'

const require = createRequire(join(process.cwd(), 'package.json'))
sendToLivingOnly(require('node:child_process'))
const { parseCLI, createVitest } = await import(pathToFileURL(require.resolve('vitest/node')))
const packageFile = require.resolve('vitest/package.json')
const { exports, version } = JSON.parse(readFileSync(packageFile, 'utf8'))
process.env.ASSAY_VITEST = runnersOf(exports)
const hasPoolOptions = Number(version.split('.')[0]) < 4

/** The test files of all projects. Tests of types run no code. */
let specs
const { filter, options } = parseCLI(['vitest', ...process.argv.slice(2)], { allowUnknownOptions: true })
/** Whether the tests could disturb each other, so that the project runs its files one after the other. */
let isSerial = false
const vitest = await createVitest(
  'test',
  {
    ...options,
    watch: false,
    runner: join(import.meta.dirname, 'vitest-runner.mjs'),
    // A process can be ended when a mutant hangs.
    pool: 'forks',
    // Code that another file has loaded would not run again with a mutant.
    isolate: true,
    ...(hasPoolOptions && { poolOptions: { forks: { isolate: true, singleFork: false } } }),
    reporters: [{}],
    coverage: { enabled: false },
    typecheck: { enabled: false },
  },
  { plugins: [{ name: 'assay', enforce: 'pre', config: { order: 'pre', handler: readConfig } }] },
)
for (const { config } of [vitest, ...vitest.projects]) {
  if (isSerial || config.fileParallelism === false) config.maxWorkers = 1
  else config.maxWorkers = workers ?? config.maxWorkers
}
/** Whether all tests have run once, so that errors say nothing of whether they can. */
let isReady = false
const unhandled = new Set()
let hasFailed = false
// Vitest exits if nothing handles a promise, such as that of its pool for a process that was ended with its mutant.
process.removeAllListeners('unhandledRejection')
process.on('unhandledRejection', noteUnhandled)
process.on('uncaughtException', noteUnhandled)
try {
  await tryMutants({
    async reach() {
      specs = (await vitest.globTestSpecifications(filter)).filter(({ pool }) => pool !== 'typescript')
      const unknown = specs.filter(({ moduleId }) => !isKnown(moduleId))
      const groups = [unknown.filter(({ moduleId }) => !isLast(moduleId))]
      for (const spec of unknown.filter(({ moduleId }) => isLast(moduleId))) groups.push([spec])
      for (const group of groups) if (group.length > 0) await inTime(vitest.runTestSpecifications(group))
      for (const error of vitest.state.getUnhandledErrors()) report({ kind: 'error', message: short(error?.message) })
    },
    async run(next) {
      isReady = true
      reportUnhandled()
      const byFile = new Map(specs.map((spec) => [spec.moduleId, spec]))
      await inTime(vitest.runTestSpecifications(Object.keys(next).flatMap((file) => byFile.get(file) ?? [])))
    },
  })
} catch (error) {
  hasFailed = true
  report({ kind: 'error', message: short(`Vitest ended early: ${error?.message ?? error}`) })
} finally {
  await Promise.race([vitest.close(), delay(3_000)])
}
// Vitest sets the code for tests that fail.
process.exit(hasFailed ? 1 : 0)

/**
 * Drops messages to processes that have ended. Up to Vitest 3, the pool asks a process that was ended with its mutant to
 * tear down, takes the error of the closed channel for another end of the process, and asks again, for ever.
 */
function sendToLivingOnly(processes) {
  const { fork } = processes
  processes.fork = (...args) => {
    const child = fork(...args)
    const { send } = child
    child.send = (...message) => child.connected && send.apply(child, message)
    return child
  }
  syncBuiltinESMExports()
}

/** Waits for a run, but not much longer than there is time. */
async function inTime(running) {
  await Promise.race([running, delay(Math.max(0, stopAt - Date.now()) + 2_000)])
}

function noteUnhandled(error) {
  const message = String(error?.message ?? error)
  // The process was ended on purpose, or its test file is reported.
  if (error?.code === 'ERR_IPC_CHANNEL_CLOSED' || /^Worker .*exited unexpectedly/.test(message)) return
  unhandled.add(short(`Vitest had an error outside of the tests: ${message}`))
  if (isReady) reportUnhandled()
}

function reportUnhandled() {
  for (const message of unhandled) report({ kind: 'error', message })
  unhandled.clear()
}

/** The module with the class that runs tests. `require.resolve` would find the one for CommonJS, which only throws. */
function runnersOf(exports) {
  let entry = exports['./runners'] ?? exports['.']
  while (typeof entry === 'object') entry = entry.import ?? entry.default
  return pathToFileURL(join(dirname(packageFile), entry)).href
}

/** Reads the configuration as the project wrote it. */
function readConfig({ test = {} }) {
  const { forks, threads } = test.poolOptions ?? {}
  const { maxWorkers = test.maxWorkers } = options
  isSerial ||= Number(maxWorkers) === 1 || Boolean(forks?.singleFork || threads?.singleThread)
}
