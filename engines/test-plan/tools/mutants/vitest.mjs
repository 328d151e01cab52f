// Tries mutants with Vitest, which stays loaded between them: `node vitest.mjs <the arguments of vitest>`.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Batches, eventReader } from './batches.mjs'
import { files, note, report, short } from './shared.mjs'

const require = createRequire(join(process.cwd(), 'package.json'))
const { parseCLI, createVitest } = await import(pathToFileURL(require.resolve('vitest/node')))
process.env.ASSAY_VITEST = runnersOf(require.resolve('vitest/package.json'))

const { wanted, stopAt, workers } = JSON.parse(readFileSync(files.wanted, 'utf8'))
writeFileSync(files.events, '')
const readEvents = eventReader()

const { filter, options } = parseCLI(['vitest', ...process.argv.slice(2)], { allowUnknownOptions: true })
const vitest = await createVitest('test', {
  ...options,
  watch: false,
  runner: join(import.meta.dirname, 'vitest-runner.mjs'),
  // A process can be ended when a mutant hangs.
  pool: 'forks',
  reporters: [{}],
  coverage: { enabled: false },
  ...(workers && { maxWorkers: workers, minWorkers: 1 }),
})
try {
  plan({ kind: 'reach' })
  await vitest.start(filter)
  const reached = readEvents()
  for (const error of vitest.state.getUnhandledErrors()) report({ kind: 'error', message: short(error?.message) })
  const failed = reached.filter((event) => event.failed).length
  report({ kind: 'ready', tests: reached.filter(({ kind }) => kind === 'reach').length, failed })
  const specs = new Map((await vitest.globTestSpecifications(filter)).map((spec) => [spec.moduleId, spec]))
  const batches = new Batches(wanted, reached)
  const slowest = Math.max(0, ...reached.map(({ ms }) => ms))
  let isEnded = false
  while (Date.now() < stopAt) {
    const next = batches.next()
    isEnded = next === null
    if (isEnded) break
    const from = performance.now()
    plan({ kind: 'try', stopAt, timeoutMs: Math.ceil(Math.max(1_000, 10 * slowest)), files: next })
    const watching = setInterval(endHanging, 500)
    try {
      await vitest.runTestSpecifications(Object.keys(next).flatMap((file) => specs.get(file) ?? []))
    } finally {
      clearInterval(watching)
    }
    batches.take(readEvents(), performance.now() - from)
  }
  report({ kind: 'end', isComplete: isEnded })
} finally {
  await vitest.close()
}
process.exit(0)

function plan(next) {
  for (const name of readdirSync(process.env.ASSAY_MUTANTS))
    if (name.startsWith('doing-')) rmSync(join(process.env.ASSAY_MUTANTS, name))
  writeFileSync(files.plan, JSON.stringify(next))
}

/** Ends the workers whose mutants hang. */
function endHanging() {
  for (const name of readdirSync(process.env.ASSAY_MUTANTS)) {
    const [, pid] = /^doing-(\d+)\.json$/.exec(name) ?? []
    if (pid === undefined) continue
    const { id, until } = JSON.parse(readFileSync(join(process.env.ASSAY_MUTANTS, name), 'utf8') || '{}')
    if (!id || Date.now() < until) continue
    rmSync(join(process.env.ASSAY_MUTANTS, name))
    report({ kind: 'tried', id, outcome: 'timed_out', file: null, test: null, ms: null })
    note([id])
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
}

/** The module with the class that runs tests. `require.resolve` would find the one for CommonJS, which only throws. */
function runnersOf(packageFile) {
  const { exports } = JSON.parse(readFileSync(packageFile, 'utf8'))
  let entry = exports['./runners'] ?? exports['.']
  while (typeof entry === 'object') entry = entry.import ?? entry.default
  return pathToFileURL(join(dirname(packageFile), entry)).href
}
