/**
 * Reads a JUnit report of 100,000 cases and an LCOV report of 50 MB, from bytes to stored rows. Compares Assay with a bare
 * parser over the same bytes (SAX with empty handlers; a line reader) and a plain COPY of the same rows. Every figure
 * comes from a separate process, so that its peak memory is its own.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '../core/migrate.ts'
import { createRunFor } from '../core/testing/factories.ts'
import { createDataSource } from '../ormconfig.ts'
import { median, printTable, recordFigure, recordGrowth } from './report.ts'
import { writeJunit, writeLcov } from './reports/write-files.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const run = promisify(execFile)

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const runId = await prepare()
const junit = join(directory, 'junit.xml')
const lcov = join(directory, 'lcov.info')
await writeJunit(junit)
await writeLcov(lcov)

const kinds = [
  { name: 'JUnit, 100,000 cases', file: junit, parser: 'bare SAX', format: 'JUnit' },
  { name: 'LCOV, 50 MB', file: lcov, parser: 'bare lines', format: 'LCOV' },
]
for (const { name, file, parser, format } of kinds) {
  const rows = `${file}.rows`
  await measure(`${format} stored`, file)
  await measure(`rows of ${format} kept`, rows)

  const ways = [
    { what: parser, file },
    { what: `rows of ${format}`, file: rows },
    { what: `${format} read`, file },
    { what: `${format} stored`, file },
  ]
  const figures = new Map(ways.map(({ what }) => [what, { ms: [] as number[], peakMb: [] as number[] }]))
  for (let round = 0; round < rounds; round++) {
    for (const { what, file } of ways) {
      const { ms, peakMb } = await measure(what, file)
      figures.get(what)?.ms.push(ms)
      figures.get(what)?.peakMb.push(peakMb)
    }
  }

  if (format === 'JUnit') {
    const [bare, copied, stored] = [parser, `rows of ${format}`, `${format} stored`].map(
      (what) => figures.get(what)?.ms,
    )
    recordFigure('storeResults', stored?.map((ms, round) => ms / ((bare?.[round] ?? 0) + (copied?.[round] ?? 0))) ?? [])
  }

  const ms = (what: string) => median(figures.get(what)?.ms ?? [])
  const bare = ms(parser) + ms(`rows of ${format}`)
  console.log(`\n${name}; ratios to parser and plain COPY together`)
  printTable(
    ['', 'ms', 'ratio', 'peak of memory, MB'],
    ways.map(({ what }) => [
      what,
      Math.round(ms(what)),
      (ms(what) / bare).toFixed(2),
      Math.round(Math.max(...(figures.get(what)?.peakMb ?? []))),
    ]),
  )
}

const costs = []
for (const size of [1_000, 10_000, 100_000]) {
  const file = join(directory, `junit-${size}.xml`)
  await writeJunit(file, size)
  const times = []
  for (let round = 0; round < rounds; round++) times.push((await measure('JUnit stored', file)).ms)
  costs.push({ size, ms: median(times) })
}
recordGrowth({ work: 'storing the results of a JUnit report', of: 'results', costs })
console.log()
printTable(
  ['results', 'ms to store'],
  costs.map(({ size, ms }) => [size, Math.round(ms)]),
)

async function measure(what: string, file: string): Promise<{ ms: number; peakMb: number }> {
  const script = join(import.meta.dirname, 'reports/measure.ts')
  const { stdout } = await run(process.execPath, [script, what, file, postgres.url, runId])
  return JSON.parse(stdout) as { ms: number; peakMb: number }
}

/** Creates a database with a run for the rows. */
async function prepare(): Promise<string> {
  const onPoolError = (error: unknown) => console.error(error)
  const dataSource = await createDataSource({ url: postgres.url, poolSize: 2, onPoolError }).initialize()
  try {
    await migrate(dataSource)
    const { id } = await createRunFor({ dataSource })
    return id
  } finally {
    await dataSource.destroy()
  }
}
