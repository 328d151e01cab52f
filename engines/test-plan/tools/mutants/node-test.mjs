// Tries mutants with the test runner of Node: `node node-test.mjs <the command with --test>`, where the command begins with
// its program, such as `node` or `npx tsx`.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { doingOf, stopAt, tryMutants, workers } from './host.mjs'
import { files, note, report, short } from './shared.mjs'

const preload = `--import=${pathToFileURL(join(import.meta.dirname, 'node-test-preload.mjs'))}`
const [program, ...words] = process.argv.slice(2)
/** How the runner starts the process of each test file. */
const processes = new Map()
/** Whether all tests of a file that should pass do so in a process of their own. */
const sound = new Map()

await tryMutants({
  async reach() {
    if (!module.registerHooks) throw new Error(tooOld(process.version))
    const { code, errors } = await start(program, adapted(words), withPreload(process.env))
    const written = existsSync(files.processes) ? readFileSync(files.processes, 'utf8') : ''
    for (const line of written.split('\n').filter(Boolean)) {
      const one = JSON.parse(line)
      if (one.unsupported) throw new Error(tooOld(one.unsupported))
      processes.set(one.file, one)
    }
    rmSync(files.processes, { force: true })
    if (processes.size === 0) throw new Error(`The command ran no test file, and ended with ${code}. ${errors}`)
  },
  async run(next) {
    const queue = Object.entries(next)
    await Promise.all(
      Array.from({ length: workers }, async (_, index) => {
        for (let one = queue.shift(); one; one = queue.shift()) await tryFile(...one, index + 1)
      }),
    )
  },
})

async function tryFile(file, { whole }, worker) {
  if (!processes.has(file)) return
  if (whole === undefined) {
    const { pid, signal } = await startFile(file, ['--test-force-exit'], {}, worker)
    const doing = signal === null ? null : doingOf(pid)
    // Such as a mutant that took all memory.
    if (doing) tried(file, doing.id, 'failed', { test: null, ms: null, message: `The process ended with ${signal}.` })
    return
  }
  // The failures of a mutant say nothing if the file fails without it.
  if (!sound.has(file)) {
    const { code } = await startFile(file, [], { ASSAY_ORIGINAL: '1' }, worker)
    sound.set(file, code === 0)
  }
  if (!sound.get(file)) return
  const { code, signal, pid } = await startFile(file, [], {}, worker)
  const summary = files.whole(pid)
  const { tookTooLong, ...why } = existsSync(summary) ? JSON.parse(readFileSync(summary, 'utf8')) : {}
  rmSync(summary, { force: true })
  // A process that hung was reported when it was ended.
  if (signal === 'SIGKILL' && !doingOf(pid)) return
  const message = signal === null ? {} : { message: `The process ended with ${signal}.` }
  tried(file, whole, tookTooLong ? 'timed_out' : code === 0 ? 'passed' : 'failed', {
    test: null,
    ms: null,
    ...message,
    ...why,
  })
}

function tried(file, id, outcome, more) {
  report({ kind: 'tried', file, id, outcome, ...more })
  if (outcome !== 'passed') note([id])
}

/** Starts a test file as the runner did, without a runner around it. */
function startFile(file, options, environment, worker) {
  const { execPath, execArgv, args, env, cwd } = processes.get(file)
  return start(
    execPath,
    [...execArgv, ...options, file, ...args],
    { ...withPreload(env), NODE_TEST_CONTEXT: 'child-v8', NODE_TEST_WORKER_ID: String(worker), ...environment },
    cwd,
  )
}

/** Coverage and reports cost time, and would replace those of the run that they belong to. */
function adapted(all) {
  const kept = all.filter(
    (word, index) =>
      !/^--(?:test-reporter(?:-destination)?=|experimental-test-coverage$|(?:experimental-)?test-isolation=none$)/.test(
        word,
      ) &&
      !/^--test-reporter(?:-destination)?$/.test(word) &&
      !/^--test-reporter(?:-destination)?$/.test(all[index - 1] ?? ''),
  )
  const at = kept.indexOf('--test') + 1
  return at === 0 ? kept : kept.toSpliced(at, 0, `--test-concurrency=${workers}`)
}

function withPreload(environment) {
  const { NODE_OPTIONS = '', NODE_V8_COVERAGE: _, ...others } = environment
  return { ...others, NODE_OPTIONS: `${NODE_OPTIONS} ${preload}`.trim(), ASSAY_MUTANTS: process.env.ASSAY_MUTANTS }
}

function start(command, args, env, cwd = process.cwd()) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(0, 2_000)))
    // A process that is idle tries no mutant, so that nothing else would end it.
    const late = setTimeout(() => child.kill('SIGKILL'), Math.max(0, stopAt - Date.now()) + 10_000)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      clearTimeout(late)
      child.stderr.destroy()
      resolve({ code, signal, pid: child.pid, errors: short(errors.trim()) })
    })
  })
}

function tooOld(version) {
  return `Node ${version} cannot replace modules while it runs. Use Node 22.15 or later to try mutants with node:test.`
}
