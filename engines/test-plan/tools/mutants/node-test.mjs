// Tries mutants with the test runner of Node: `node node-test.mjs <the command with --test>`, where the command begins with
// its program, such as `node` or `npx tsx`.
import module from 'node:module'
import { eventReader } from './events.mjs'
import { isKnown, noted, stopAt, tryMutants, workers } from './host.mjs'
import { atOnce, readProcesses, reportCrash, start, tryWhole, withPreload } from './processes.mjs'
import { notAllRan, report } from './shared.mjs'

const preload = new URL('node-test-preload.mjs', import.meta.url).href
const [program, ...words] = process.argv.slice(2)
/** Whether the project runs its test files one after the other. */
const isSerial = /(?:^| )--(?:test-concurrency[= ]1|(?:experimental-)?test-isolation=none)(?: |$)/.test(words.join(' '))
const count = isSerial ? 1 : (workers ?? 1)
/** How the runner starts the process of each test file. */
const processes = new Map()

await tryMutants({
  async reach() {
    if (!module.registerHooks) throw new Error(tooOld(process.version))
    const { code, errors } = await start(program, adapted(words), withPreload(process.env, preload))
    for (const one of readProcesses()) {
      if (one.unsupported) throw new Error(tooOld(one.unsupported))
      processes.set(one.file, one)
    }
    if (processes.size === 0) throw new Error(`The command ran no test file, and ended with ${code}. ${errors}`)
    if (Date.now() < stopAt) reportSilent(code)
  },
  async run(next) {
    const entries = Object.entries(next).filter(([file]) => processes.has(file))
    const tryFile = async ([file, { whole }], worker) => {
      if (whole === undefined) reportCrash(file, await startFile(file, worker, ['--test-force-exit'], {}))
      else await tryWhole(file, whole, (environment) => startFile(file, worker, [], environment))
    }
    await atOnce(entries, (entry, worker) => noted(entry[0], () => tryFile(entry, worker)), count)
  },
})

/** Reports the test files whose processes did not say that they had run all tests. */
function reportSilent(code) {
  const events = eventReader()()
  const heard = new Set(events.flatMap(({ kind, file }) => (kind === 'load' || kind === 'error' ? file : [])))
  const silent = [...processes.keys()].filter((file) => !isKnown(file) && !heard.has(file))
  report(...silent.map((file) => notAllRan(file, 'their process ended unexpectedly.')))
  const isExplained = silent.length > 0 || events.some(({ kind, failed }) => kind === 'error' || failed)
  // A process can end before it has said anything.
  if (code !== 0 && !isExplained)
    report({ kind: 'error', message: `Not all tests ran: the command ended with ${code}, and no test had failed.` })
}

/** Starts a test file as the runner did, without a runner around it. */
function startFile(file, worker, options, environment) {
  const { execPath, execArgv, args, env, cwd } = processes.get(file)
  const context = { NODE_TEST_CONTEXT: 'child-v8', NODE_TEST_WORKER_ID: String(worker) }
  const around = { ...withPreload(env, preload), ...context, ...environment }
  return start(execPath, [...execArgv, ...options, file, ...args], around, cwd)
}

/** Coverage and reports cost time, and would replace those of the run that they belong to. */
function adapted(all) {
  const reporter = /^--test-reporter(?:-destination)?$/
  const dropped =
    /^--(?:test-reporter(?:-destination)?=.*|experimental-test-coverage|(?:experimental-)?test-isolation=none)$/
  const kept = all.filter(
    (word, index) => !dropped.test(word) && !reporter.test(word) && !reporter.test(all[index - 1] ?? ''),
  )
  const at = kept.indexOf('--test') + 1
  return at === 0 ? kept : kept.toSpliced(at, 0, `--test-concurrency=${count}`)
}

function tooOld(version) {
  return `Node ${version} cannot replace modules while it runs. Use Node 22.15 or later to try mutants with node:test.`
}
