/** Measures one way of reading one file. Arguments: the kind, the file, the database and the run. */
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { SaxesParser } from 'saxes'
import type { TaskRunner } from '../../engines/processes/tasks.ts'
import type { storeCoverage } from '../../core/coverage/store.ts'

const [what = '', file = '', databaseUrl = '', runId = ''] = process.argv.slice(2)

const ways: Record<string, () => Promise<number>> = {
  'bare SAX': async () => {
    const parser = new SaxesParser()
    parser.on('opentag', () => {})
    parser.on('text', () => {})
    parser.on('closetag', () => {})
    return timed(async () => {
      for await (const text of createReadStream(file, 'utf8')) parser.write(String(text))
      parser.close()
    })
  },

  'bare lines': () =>
    timed(async () => {
      let length = 0
      for await (const line of createInterface({ input: createReadStream(file) })) length += line.length
      if (length === 0) throw new Error('there were no lines')
    }),

  'rows of JUnit': () => intoTable('test_results'),
  'rows of LCOV': () => intoTable('test_run_coverage'),

  'JUnit read': async () => {
    const { readReport } = await import('../../engines/reports/read-report.ts')
    const { reportLimits } = await import('../../engines/reports/report.ts')
    return timed(async () => {
      const { cases } = await readReport(source(), { roots: [], limits: reportLimits, warn })
      let count = 0
      for await (const batch of cases) count += batch.length
      if (count !== 100_000) throw new Error(`there were ${count} cases`)
    })
  },

  'LCOV read': async () => {
    const coverage = await readCoverage()
    return timed(async () => {
      await coverage.add(source())
      let count = 0
      for (const { lines } of coverage.files()) if (lines.total === 1550) count++
      if (count !== 3000) throw new Error(`there were ${count} files`)
    })
  },

  'JUnit stored': async () => {
    const { readReportApart } = await import('../../engines/reports/read-apart.ts')
    const { testRunner } = await import('../../engines/processes/testing/runner.ts')
    const { testIdentities } = await import('../../engines/reports/identity.ts')
    const { correctIdentities, storeResults } = await import('../../core/test-runs/results/store-results.ts')
    // The server starts the process while it receives the report.
    await warm(testRunner)
    return inTransaction(async (tx) => {
      const identities = testIdentities()
      const cases = readReportApart(testRunner, { file: { path: file, name: 'report' }, roots: [] }, undefined, warn)
      await storeResults(tx, { id: runId, position: 0, variant: '', identify: identities.keyOf }, cases)
      await correctIdentities(tx, runId, identities)
    })
  },

  'LCOV stored': async () => {
    const { storeCoverage } = await import('../../core/coverage/store.ts')
    const { collectCoverageApart } = await import('../../engines/coverage/collect-apart.ts')
    const { testRunner } = await import('../../engines/processes/testing/runner.ts')
    await warm(testRunner)
    return inTransaction(async (tx) => {
      const files = [{ path: file, name: 'report' }]
      const input = { files, isStrict: true, roots: ['/workspace'], maxBytes: 2 ** 30, maxFiles: 10_000 }
      const coverage = await collectCoverageApart(testRunner, input, { paths: coveredPaths, warn })
      await storeCoverage(tx, runId, coverage.files)
    })
  },

  // Exports the rows of the earlier measurements to the file that the plain COPY reads.
  'rows of JUnit kept': () => keepRows('test_results'),
  'rows of LCOV kept': () => keepRows('test_run_coverage'),
}

const coveredPaths = Array.from(
  { length: 3000 },
  (_, number) => `packages/shop-${number % 40}/src/checkout/price-${number}.ts`,
)

const way = ways[what]
if (way === undefined) throw new Error(`there is no "${what}"`)
const ms = await way()
process.stdout.write(JSON.stringify({ ms, peakMb: process.resourceUsage().maxRSS / 1024 }))

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function source() {
  return { name: 'report', bytes: createReadStream(file) as AsyncIterable<Buffer> }
}

function warn(message: string): void {
  throw new Error(`a clean report brought a warning: ${message}`)
}

async function readCoverage() {
  const { createCoverage } = await import('../../engines/coverage/collect.ts')
  return createCoverage({ roots: ['/workspace'], paths: coveredPaths, maxBytes: 2 ** 30, maxFiles: 10_000, warn })
}

async function warm(runner: TaskRunner): Promise<void> {
  const { errorIdsOf } = await import('../../engines/reports/describe-failures.ts')
  const { reportTask } = await import('../../engines/reports/read-apart.ts')
  runner.warm(reportTask)
  await errorIdsOf(runner, [], { roots: [] })
}

type Tx = Parameters<typeof storeCoverage>[0]

async function inTransaction(work: (tx: Tx) => Promise<void>): Promise<number> {
  const { createDataSource } = await import('../../ormconfig.ts')
  const onPoolError = (error: unknown) => {
    throw error
  }
  const dataSource = await createDataSource({ url: databaseUrl, poolSize: 2, onPoolError }).initialize()
  await dataSource.query('TRUNCATE test_results, test_run_coverage')
  const { signal } = new AbortController()
  const ms = await timed(() => dataSource.transaction((db) => work({ db, signal })))
  await dataSource.destroy()
  return ms
}

async function intoTable(table: string): Promise<number> {
  const client = await connect()
  await client.query(`TRUNCATE ${table}`)
  const ms = await timed(async () => {
    await client.query('BEGIN')
    await pipeline(createReadStream(file), client.query(copyFrom(`COPY ${table} FROM STDIN`)))
    await client.query('COMMIT')
  })
  await client.end()
  return ms
}

async function keepRows(table: string): Promise<number> {
  const client = await connect()
  await pipeline(client.query(copyTo(`COPY (SELECT * FROM ${table}) TO STDOUT`)), createWriteStream(file))
  await client.end()
  return 0
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  return client
}
