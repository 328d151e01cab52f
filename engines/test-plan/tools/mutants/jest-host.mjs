// Tries mutants with the tests that Jest has found, in processes that stay loaded.
import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { fileLimitMs, isKnown, isLast, noted, tooLong, tryMutants, workers } from './host.mjs'
import { atOnce, reportCrash } from './processes.mjs'
import { notAllRan, report } from './shared.mjs'

const program = fileURLToPath(new URL('jest-worker.mjs', import.meta.url))

/**
 * @param tests - `{ path, context }`
 */
export async function tryTests(tests, globalConfig) {
  const byFile = Map.groupBy(tests, ({ path }) => path)
  const count = isSerial(globalConfig) ? 1 : (workers ?? 1)
  const pool = Array.from({ length: count }, (_, index) => new Worker(index + 1, tests, globalConfig))
  try {
    await tryMutants({
      async reach() {
        for (const { context } of tests) refuseOtherRunners(context.config)
        const unknown = tests.filter(({ path }) => !isKnown(path))
        const see = async (test, index) => {
          const ended = await noted(test.path, () => pool[index - 1].run(test, fileLimitMs))
          if (ended?.isLate) report(tooLong(test.path))
          else if (ended) report(notAllRan(test.path, `their process ended with ${ended.signal}.`))
        }
        await atOnce(
          unknown.filter(({ path }) => !isLast(path)),
          see,
          count,
        )
        await atOnce(
          unknown.filter(({ path }) => isLast(path)),
          see,
          1,
        )
      },
      async run(next) {
        const files = Object.keys(next).flatMap((file) => byFile.get(file) ?? [])
        await atOnce(files, (test, index) => noted(test.path, () => pool[index - 1].run(test)), count)
      },
    })
  } finally {
    for (const worker of pool) worker.end()
  }
}

/** Whether the project runs its test files one after the other. Where there are two cores, Jest does so anyway. */
function isSerial({ maxWorkers, runInBand }) {
  const isWanted = process.argv.some((word) => /^(?:-i|--runInBand|--maxWorkers=1|-w=1)$/.test(word))
  return isWanted || runInBand === true || (maxWorkers === 1 && availableParallelism() > 2)
}

function refuseOtherRunners({ testRunner }) {
  if (!testRunner.includes('jest-circus'))
    throw new Error(`Assay cannot try mutants with the test runner ${testRunner}.`)
}

/** Types have nothing to say of mutants, and checking them takes longer than most tests. */
function withoutTypeChecks(config) {
  const transform = config.transform.map(([pattern, path, options]) =>
    /[\\/]ts-jest[\\/]/.test(path) ? [pattern, path, { ...options, diagnostics: false }] : [pattern, path, options],
  )
  return { ...config, transform }
}

/** A process that runs one test file after the other. */
class Worker {
  #index
  #settings
  #child = null

  constructor(index, tests, globalConfig) {
    this.#index = index
    const contexts = new Map(tests.map(({ context }) => [context.config.id, context]))
    const resolvers = [...contexts.values()].map(({ config, moduleMap }) => {
      return { config, serializableModuleMap: moduleMap.toJSON() }
    })
    // Thousands of runs of a test would be thousands of results.
    this.#settings = {
      jestRunner: jestRunner(),
      resolvers,
      globalConfig: { ...globalConfig, bail: 0, collectCoverage: false, randomize: false, updateSnapshot: 'none' },
    }
  }

  /** Returns how the process ended, or null if it is still there. */
  async run({ path, context }, limitMs = null) {
    const isFresh = this.#child === null
    const child = (this.#child ??= this.#start())
    let isLate = false
    const end = () => {
      isLate = true
      child.kill('SIGKILL')
    }
    const limit = limitMs === null ? undefined : setTimeout(end, limitMs)
    const ended = await new Promise((resolve) => {
      const onExit = (code, signal) => resolve({ pid: child.pid, isFresh, isLate, signal: signal ?? `code ${code}` })
      child.once('exit', onExit)
      child.once('message', ({ isLarge }) => {
        child.off('exit', onExit)
        if (isLarge) this.end()
        resolve(null)
      })
      // If the process has ended, the event follows.
      child.send({ path, config: withoutTypeChecks(context.config) }, () => {})
    })
    clearTimeout(limit)
    if (ended !== null) {
      this.#child = null
      reportCrash(path, ended)
    }
    return ended
  }

  #start() {
    const env = { ...process.env, JEST_WORKER_ID: String(this.#index) }
    const child = fork(program, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' })
    child.on('error', () => {})
    child.send(this.#settings, () => {})
    return child
  }

  end() {
    this.#child?.kill('SIGKILL')
    this.#child = null
  }
}

/** The file of the package jest-runner. Only the packages of Jest need to see it. */
function jestRunner() {
  const known = Object.keys(createRequire(import.meta.url).cache)
  const users = known.filter((file) => /[\\/](?:jest-config|@jest[\\/]core|jest-runner)[\\/]build[\\/]/.test(file))
  for (const user of users) {
    try {
      return createRequire(user).resolve('jest-runner')
    } catch {
      // Perhaps another one sees it.
    }
  }
  throw new Error('Assay cannot find the package jest-runner.')
}
