/**
 * Runs the benchmarks with goals and writes `docs/speed.md`: each figure with its goal, and how costs grow.
 *
 * Arguments: the folder with the repositories of `analyze`, then names of benchmarks (by default all). Figures of
 * benchmarks that do not run are taken from the last table, with its date.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type FigureName, type Goal, goals } from './goals.ts'
import { exponentOf, median, tableOf } from './report.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/speed.md')
const keptFile = join(root, 'bench/last-figures.json')

const repositories = (within: string) =>
  ['vuejs+core', 'logto-io+logto', 'hatchet-dev+hatchet'].map((name) => join(within, name, 'repo'))
const benches: Record<string, { args?: string[]; environment?: NodeJS.ProcessEnv }> = {
  rpc: {},
  session: {},
  mcp: {},
  webhooks: { args: ['throughput', 'flatness'] },
  inbound: {},
  analyze: {},
  verify: { environment: { ONLY: 'vitest' } },
  run: {},
  reports: {},
  digest: {},
  audit: {},
  start: {},
}

const [folder, ...only] = process.argv.slice(2)
const usage = `npm run bench -- all <folder> [names]
Runs the benchmarks with goals, which takes half an hour, and writes docs/speed.md and bench/last-figures.json.
  folder  holds clones: ${repositories('').join(', ')}
  names   of benchmarks: ${Object.keys(benches).join(', ')}`
const wrong = only.filter((name) => !(name in benches))
if (folder === undefined || wrong.length > 0) stop(wrong.length > 0 ? `Unknown: ${wrong.join(', ')}.\n${usage}` : usage)
const needsClones = only.length === 0 || only.includes('analyze')
const missing = needsClones ? repositories(folder).filter((path) => !existsSync(path)) : []
if (missing.length > 0) stop(`There is no ${missing.join(', ')}.\n${usage}`)

const Kept = z.record(
  z.string(),
  z.object({
    day: z.string(),
    load: z.string(),
    figures: z.array(z.object({ name: z.string(), values: z.array(z.number()) })),
    growths: z.array(
      z.object({ work: z.string(), of: z.string(), costs: z.array(z.object({ size: z.number(), ms: z.number() })) }),
    ),
  }),
)
type Kept = z.infer<typeof Kept>
const kept: Kept = existsSync(keptFile) ? Kept.parse(JSON.parse(await readFile(keptFile, 'utf8'))) : {}

for (const [name, bench] of Object.entries(benches)) {
  if (only.length > 0 && !only.includes(name)) continue
  console.log(`\n${name}\n`)
  kept[name] = await run(name, name === 'analyze' ? { args: repositories(folder) } : bench)
  await writeFile(keptFile, `${JSON.stringify(kept, null, 2)}\n`)
  await writePage()
}
console.log(await describe())

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}

async function run(name: string, { args = [], environment = {} }: (typeof benches)[string]): Promise<Kept[string]> {
  const scratch = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  const file = join(scratch, 'figures')
  const [load = 0] = loadavg()
  try {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), name, ...args], {
      env: { ...process.env, ...environment, BENCH_FIGURES: file },
      stdio: 'inherit',
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) console.error(`${name} ended with ${String(code)}`)
    const lines = existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : []
    const records = lines.map((line) => JSON.parse(line) as { growth?: Kept[string]['growths'][number] })
    return {
      day: new Date().toISOString().slice(0, 10),
      load: load.toFixed(1),
      figures: records.filter((record) => record.growth === undefined) as Kept[string]['figures'],
      growths: records.flatMap(({ growth }) => (growth ? [growth] : [])),
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Formatted, as all files of the project are. */
async function writePage(): Promise<void> {
  await writeFile(page, await describe())
  await once(spawn(join(root, 'node_modules/.bin/oxfmt'), [page, keptFile], { stdio: 'ignore' }), 'close')
}

/** The median of nine, in milliseconds. */
async function emptyNode(): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 9; round++) {
    const startedAt = performance.now()
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close')
    times.push(performance.now() - startedAt)
  }
  return Math.round(median(times))
}

async function describe(): Promise<string> {
  const runs = Object.values(kept)
  const measured = (Object.keys(goals) as FigureName[]).map((name) => {
    const goal: Goal = goals[name]
    for (const { figures, day, load } of runs) {
      const figure = figures.find((one) => one.name === name)
      if (figure) return { goal, values: figure.values, when: `${day}, ${load}` }
    }
    return { goal, values: [], when: '' }
  })
  const short = measured.filter(({ goal, values }) => isShort(goal, values))
  const growths = runs.flatMap((one) => one.growths)
  return `# Speed

\`npm run bench -- all <folder>\` writes this page. Figures are medians on ${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'}) with ${Math.round(totalmem() / 2 ** 30)} GiB and Node ${process.version}. Ratios come from alternating runs. The load is that of the machine before the benchmark began. An empty Node process took ${await emptyNode()} ms, which tells how fast the machine was. [benchmarks.md](benchmarks.md) describes the benchmarks.

${short.length} of ${measured.length} figures miss their goal or were not measured.

${tableOf(
  ['work', 'figure', 'min to max', 'rounds', 'goal', '', 'day, load'],
  measured.map(({ goal, values, when }) => [
    goal.work,
    values.length === 0 ? 'not measured' : inUnit(median(values), goal),
    values.length === 0 ? '' : `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`,
    values.length,
    goal.atLeast === undefined
      ? `at most ${inUnit(goal.atMost ?? Number.NaN, goal)}`
      : `at least ${inUnit(goal.atLeast, goal)}`,
    isShort(goal, values) ? '**short**' : 'met',
    when,
  ]),
)}

## Growth

The cost of one piece of work at several sizes. The exponent is 1 for a cost in proportion to the size and 0 for one that does not depend on it.

${tableOf(
  ['work', 'size', 'ms', 'exponent'],
  growths.map((growth) => [
    growth.work,
    `${growth.costs.map(({ size }) => size.toLocaleString('en')).join(', ')} ${growth.of}`,
    growth.costs.map(({ ms }) => shown(ms)).join(', '),
    exponentOf(growth).toFixed(2),
  ]),
)}
`
}

function isShort({ atLeast, atMost }: Goal, values: number[]): boolean {
  const value = median(values)
  return !(value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity))
}

function inUnit(value: number, { unit }: Goal): string {
  return `${shown(value)}${unit === '' || unit === '/s' ? unit : ` ${unit}`}`
}

function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3)
}
