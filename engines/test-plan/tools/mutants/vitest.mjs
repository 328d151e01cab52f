// Tries mutants with Vitest, which stays loaded between them: `node vitest.mjs <the arguments of vitest>`.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isKnown, tryMutants, workers } from './host.mjs'
import { report, short } from './shared.mjs'

const require = createRequire(join(process.cwd(), 'package.json'))
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
try {
  await tryMutants({
    async reach() {
      specs = (await vitest.globTestSpecifications(filter)).filter(({ pool }) => pool !== 'typescript')
      const unknown = specs.filter(({ moduleId }) => !isKnown(moduleId))
      if (unknown.length > 0) await vitest.runTestSpecifications(unknown)
      for (const error of vitest.state.getUnhandledErrors()) report({ kind: 'error', message: short(error?.message) })
    },
    async run(next) {
      const byFile = new Map(specs.map((spec) => [spec.moduleId, spec]))
      await vitest.runTestSpecifications(Object.keys(next).flatMap((file) => byFile.get(file) ?? []))
    },
  })
} finally {
  await vitest.close()
}
process.exit(0)

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
