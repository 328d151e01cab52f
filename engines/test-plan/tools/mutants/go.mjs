// Tries mutants with Go: `node go.mjs <the command>`, where the command has the words `go test`. The tests are compiled
// once, with all mutants. Then each try is a process of its own, to which an environment variable names the mutant.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileTests } from './go-build.mjs'
import { endOf, run } from './go-process.mjs'
import { isKnown, stopAt, tryMutants } from './host.mjs'
import { atOnce, inTurns } from './processes.mjs'
import { inRoot, limitOf, note, noticed, report, short } from './shared.mjs'

const folder = mkdtempSync(join(tmpdir(), 'assay-go-'))
/** The compiled tests of each package. */
let packages = []
/** How the tests of each file end together without a mutant. */
const sound = new Map()

try {
  await tryMutants({
    async reach() {
      packages = await compileTests(process.argv.slice(2), folder)
      await atOnce(packages, findTests)
      // Tests that run at the same time slow each other down, as they will with mutants.
      await inTurns(
        packages.flatMap(({ tests }) => tests.filter(({ file }) => !isKnown(file))),
        (test) => queueOf(test.package),
        reachOf,
      )
      for (const one of packages) reportLoads(one)
    },
    async run(next) {
      // Tests can write to the file that the plan is made of.
      const wholes = Object.entries(next).filter(([file, { whole }]) => whole !== undefined && packageOf(file))
      await inTurns(wholes, ([file]) => queueOf(packageOf(file)), tryWhole)
      const single = packages.flatMap(({ tests }) =>
        tests.flatMap((test) => {
          const { ids = [], ms = 0 } = next[test.file]?.tests[test.name] ?? {}
          return ids.map((id) => ({ test, id, ms }))
        }),
      )
      const known = noticed()
      await inTurns(
        single,
        ({ test }) => queueOf(test.package),
        async ({ test, id, ms }) => {
          if (known.has(id)) return
          const tried = await tryOne([test], id, ms)
          if (!tried) return
          report({ kind: 'tried', file: test.file, test: test.name, id, ...tried })
          if (tried.outcome === 'passed') return
          known.add(id)
          note([id])
        },
      )
    },
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The tests of a package that could disturb each other run one after the other. */
function queueOf(one) {
  return one.isAlone ? one : null
}

function packageOf(file) {
  return packages.find(({ tests }) => tests.some((test) => test.file === file))
}

/** Asks the compiled tests for their names, and what runs before any test. */
async function findTests(one) {
  const reached = join(folder, `${one.id}-load`)
  const listed = await run(one, ['-test.list', one.pattern], { ASSAY_REACH: reached }, leftMs())
  one.load = { probes: readReach(reached), ms: listed.ms }
  if (listed.code !== 0 && !listed.isLate) {
    report({
      kind: 'error',
      message: short(`The tests in ${inRoot(one.cwd)} could not start. ${endOf(listed).message}`),
    })
  }
  const names = listed.output.match(/^(?:Test|Example|Fuzz)[^\s(]*$/gm) ?? []
  const fileOf = filesOf(one)
  one.tests = names.flatMap((name) => {
    const file = fileOf(name)
    return file === null ? [] : [{ package: one, name, file }]
  })
}

/** Finds the file that declares a test. */
function filesOf({ cwd, testFiles }) {
  const sources = testFiles.map((name) => [join(cwd, name), readFileSync(join(cwd, name), 'utf8')])
  return (name) => {
    const found = sources.find(([, source]) => source.includes(`\nfunc ${name}(`))
    return found ? found[0] : null
  }
}

/** Runs a test alone, to see what it reaches. */
async function reachOf(test) {
  const reached = join(folder, `${test.package.id}-${test.name}`)
  const ended = await run(test.package, onlyTests([test], '-test.v'), { ASSAY_REACH: reached }, leftMs())
  const probes = readReach(reached)
  rmSync(reached, { force: true })
  if (Date.now() >= stopAt) return
  const failed = ended.code !== 0
  if (!failed && !/^--- PASS: /m.test(ended.output)) return
  const own = probes.filter((probe) => !test.package.load.probes.includes(probe))
  report({ kind: 'reach', file: test.file, test: test.name, ms: ended.ms, failed, probes: own })
}

/** What runs before any test counts for each file with tests. */
function reportLoads({ tests, load }) {
  if (!load) return
  const files = new Set(tests.map(({ file }) => file).filter((file) => !isKnown(file)))
  for (const file of files) report({ kind: 'load', file, ms: Math.round(load.ms), probes: load.probes })
}

/** Tries a mutant that runs before the tests with all tests of a file. */
async function tryWhole([file, { whole: id, failing, ms }]) {
  const tests = packageOf(file).tests.filter((test) => test.file === file && !failing.includes(test.name))
  if (tests.length === 0) return
  // Tests that pass alone can fail together, whatever the code.
  const original = 0
  if (!sound.has(file)) sound.set(file, tryOne(tests, original, ms))
  if ((await sound.get(file))?.outcome !== 'passed' || Date.now() >= stopAt) return
  const tried = await tryOne(tests, id, ms)
  if (!tried) return
  report({ kind: 'tried', file, test: null, id, ...tried })
  if (tried.outcome !== 'passed') note([id])
}

/** Runs tests with a mutant. Null if the time was over before they ended. */
async function tryOne(tests, id, milliseconds) {
  const [{ package: one }] = tests
  const limit = Math.max(1_000, limitOf(milliseconds))
  const ended = await run(one, onlyTests(tests, '-test.failfast'), { ASSAY_MUTANT: String(id) }, limit)
  const { ms } = ended
  if (ended.isLate) return Date.now() >= stopAt ? null : { outcome: 'timed_out', ms }
  if (ended.code === 0) return { outcome: 'passed', ms }
  const { error, message } = endOf(ended)
  return { outcome: 'failed', ms, error, message: short(message) }
}

function onlyTests(tests, ...options) {
  return ['-test.run', `^(?:${tests.map(({ name }) => name).join('|')})$`, ...options]
}

function leftMs() {
  return Math.max(1, stopAt - Date.now())
}

function readReach(file) {
  if (!existsSync(file)) return []
  return [...new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number))]
}
