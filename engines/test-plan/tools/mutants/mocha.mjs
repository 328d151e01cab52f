// Tries mutants with mocha: `node mocha.mjs <the command>`, where the command begins with its program, such as `npx mocha`.
import { readFileSync, rmSync, existsSync } from 'node:fs'
import { isKnown, noted, stopAt, tryMutants, workers } from './host.mjs'
import { mayDisturb } from './disturbing.mjs'
import {
  acceptTogether,
  atOnce,
  inTurns,
  readProcesses,
  reportCrash,
  start,
  tryWhole,
  withPreload,
} from './processes.mjs'
import { files, report } from './shared.mjs'

const preload = new URL('mocha-preload.mjs', import.meta.url).href
const [program, ...words] = process.argv.slice(2)
/** How mocha was started, and the files that it loaded. */
let mocha

await tryMutants({
  oneProcess: true,
  async reach() {
    const { code, signal, errors } = await start(program, adapted(words), withPreload(process.env, preload))
    ;[mocha] = readProcesses()
    if (!mocha) throw new Error(`The command started no mocha, and ended with ${code}. ${errors}`)
    // In one process, a module is loaded for the first file that needs it. The others would seem not to.
    const unknown = mocha.files.filter((file) => !isKnown(file))
    await inTurns(unknown, queueOf, (file) => startMocha([file], { ASSAY_LOAD: '1' }))
    return signal === null
  },
  async run(next) {
    const wholes = Object.entries(next).filter(([, { whole }]) => whole !== undefined)
    const areAccepted =
      wholes.length > 1 && new Set(wholes.map(([, { whole }]) => whole)).size === 1 && (await accept(wholes))
    await inTurns(
      areAccepted ? [] : wholes,
      ([file]) => queueOf(file),
      ([file, { whole }]) => noted(file, () => tryWhole(file, whole, (environment) => startMocha([file], environment))),
    )
    const others = mocha.files.filter((file) => next[file] && next[file].whole === undefined)
    const [queued, free] = [
      others.filter((file) => queueOf(file) !== null),
      others.filter((file) => queueOf(file) === null),
    ]
    const count = Math.min(workers ?? 1, others.length)
    const shares = Array.from({ length: count }, (_, share) => free.filter((_file, index) => index % count === share))
    if (queued.length > 0) shares.at(-1).unshift(...queued)
    rmSync(files.done, { force: true })
    await atOnce(shares, tryFiles)
  },
})

function accept(wholes) {
  const [[, { whole }]] = wholes
  const group = wholes.map(([file]) => file)
  return acceptTogether(group, whole, (environment) => startMocha(group, environment))
}

/** Mocha itself runs files one after the other, so that they can use the same port or file. */
function queueOf(file) {
  return [file, ...mocha.setUp].some(mayDisturb) ? 'one' : null
}

/** Tries the mutants of some files in one process, and in another one after a file that ended it. */
async function tryFiles(share) {
  for (let left = share; left.length > 0 && Date.now() < stopAt;) {
    report(...left.map((file) => ({ kind: 'begun', file })))
    const ended = await startMocha(left, {})
    report({ kind: 'done', files: left })
    const done = new Set(existsSync(files.done) ? readFileSync(files.done, 'utf8').split('\n') : [])
    const [last, ...others] = left.filter((file) => !done.has(file))
    if (last !== undefined) reportCrash(last, ended)
    left = others
  }
}

/** Starts mocha as the command did, with some of its files. */
function startMocha(only, environment) {
  const { execPath, execArgv, args, env, cwd } = mocha
  const around = { ...withPreload(env, preload), ASSAY_FILES: JSON.stringify(only), ...environment }
  return start(execPath, [...execArgv, ...args], around, cwd)
}

/** Mutants need all files in one process, and all tests after one that fails. */
function adapted(all) {
  const valued = /^(?:-j|--jobs|--retries|-R|--reporter|-O|--reporter-options?)$/
  const dropped = /^(?:-p|--parallel|-b|--bail|-w|--watch|(?:--jobs|--retries|--reporter|--reporter-options?)=.*)$/
  const kept = all.filter(
    (word, index) => !dropped.test(word) && !valued.test(word) && !valued.test(all[index - 1] ?? ''),
  )
  // The configuration file can say it, too.
  return [...kept, '--no-parallel']
}
