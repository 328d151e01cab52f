/**
 * Measures the time that the MCP server adds to its RPC calls, its start time and memory, the tokens of its tools, and
 * the calls that an agent needs from a failed run to its cause.
 */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createCoreClient } from '../client/core-client.ts'
import { createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { createLog } from '../core/base/log.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { startChild } from '../local/child.ts'
import { listTools } from '../mcp-server/protocol/list-tools.ts'
import { everything, selectTools } from '../mcp-server/selection.ts'
import { tokensOf, tokensOfTool } from '../mcp-server/tools/tokens.ts'
import { definitionsOf, tools } from '../mcp-server/tools/index.ts'
import { bundle, root } from '../packaging/bundle.ts'
import { openCaller } from './mcp/caller.ts'
import { startOverStdio } from './mcp/stdio-start.ts'
import { median, printTable, recordFigure } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 3)
const callsPerRound = Number(process.env['CALLS'] ?? 160)
const starts = Number(process.env['STARTS'] ?? 7)
const concurrency = 8

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const environment = {
  ...process.env,
  DATABASE_URL: postgres.url,
  DATA_DIR: join(directory, 'data'),
  SECRET_KEY: 'a key for the bench that is long enough to be one',
  PORT: '0',
  RATE_LIMIT: 'off',
  REPOSITORIES_ALLOW_LOCAL: 'on',
  LOG_LEVEL: 'warn',
}
const repository = await makeRedProject(join(directory, 'shop'))
const { token, projectId } = await prepare()
const core = await startChild({ name: 'core', script: 'core/main.ts', environment, logFile: join(directory, 'log') })
cleanUp.defer(() => core.stop())
const baseUrl = `http://127.0.0.1:${core.ready.port}`
const mcp = await startChild({
  name: 'mcp',
  script: 'mcp-server/main.ts',
  args: ['--http'],
  environment: { ...environment, SVC_BASE_URL: baseUrl, MCP_PORT: '0' },
  logFile: join(directory, 'log'),
})
cleanUp.defer(() => mcp.stop())
const call = openCaller(`http://127.0.0.1:${mcp.ready.port}/mcp`, token)
const rpc = createCoreClient({ baseUrl, token, requestId: 'bench', timeoutMs: 600_000 })

await fromRedToCause()
await latencies()
await coldStarts()
const listed = { standard: listTools(definitionsOf(selectTools(everything)), true), all: listTools(tools, true) }
printTable(
  ['tools/list', 'tools', 'tokens'],
  Object.entries(listed).map(([name, list]) => [
    name === 'all' ? 'every set' : 'default',
    list.length,
    list.reduce((sum, tool) => sum + tokensOfTool(tool), 0),
  ]),
)

/** Runs a failing test in the sandbox, and measures what an agent reads until it knows the location. */
async function fromRedToCause(): Promise<void> {
  const answers = [await call('trigger_run', { projectId })]
  const [, runId] = /^runId: (\w{26})$/m.exec(answers[0] ?? '') ?? []
  while (/\b(?:PENDING|RUNNING)\b/.test(answers.at(-1)?.split('\n', 1)[0] ?? '')) {
    answers.push(await call('wait_for_run', { runId }))
  }
  const isCause = (text: string) => /price\.test\.js:\d+/.test(text)
  if (!isCause(answers.at(-1) ?? '')) answers.push(await call('get_run_failures', { runId }))
  if (!isCause(answers.at(-1) ?? '')) throw new Error(`no cause was named:\n${answers.join('\n\n')}`)
  const spent = answers.map(tokensOf)
  console.log(
    `From a red run to its cause with file and line: ${answers.length} calls, ` +
      `${spent.reduce((sum, one) => sum + one)} tokens (goal: 2 and 1500).\n`,
  )
}

/** Alternates between RPC and tools, since the load of the machine varies. */
async function latencies(): Promise<void> {
  const [run] = (await rpc.testRuns.list.query({ projectId, limit: 1 })).runs
  const runId = run?.id ?? ''
  const kinds: Record<string, { raw: () => Promise<unknown>; tool: () => Promise<unknown> }> = {
    list_projects: { raw: () => rpc.projects.getProjects.query(), tool: () => call('list_projects') },
    get_project: {
      raw: async () => {
        await rpc.projects.getProject.query({ projectId })
        await rpc.projects.getProjectAnalyses.query({ projectId, limit: 3 })
      },
      tool: () => call('get_project', { projectId }),
    },
    get_run: { raw: () => rpc.testRuns.get.query({ runId }), tool: () => call('get_run', { runId }) },
  }
  const rows: (string | number)[][] = []
  const added = { p50: [] as number[], p95: [] as number[] }
  for (const pauseMs of [50, 0]) {
    for (const [name, { raw, tool }] of Object.entries(kinds)) {
      // V8 compiles what runs often only after some hundred calls.
      const warmUps = pauseMs === 0 ? 3 : 1
      for (let round = 0; round < warmUps; round++) {
        for (const request of [raw, tool]) await measure(request, pauseMs)
      }
      const figures = { raw: [] as Latency[], tool: [] as Latency[] }
      for (let round = 0; round < rounds; round++) {
        const pair = [['raw', raw] as const, ['tool', tool] as const]
        // Each of them is first in every second round, since the load of the machine rises and falls.
        for (const [kind, request] of round % 2 === 0 ? pair : pair.toReversed()) {
          figures[kind].push(await measure(request, pauseMs))
        }
      }
      const addedBy = (key: 'p50' | 'p95') =>
        figures.tool.map((one, round) => one[key] - (figures.raw[round]?.[key] ?? Number.NaN))
      const cells = (['p50', 'p95'] as const).flatMap((key) => [
        figures.raw.map((one) => one[key]),
        figures.tool.map((one) => one[key]),
        addedBy(key),
      ])
      if (pauseMs === 0) {
        added.p50.push(...addedBy('p50'))
        added.p95.push(...addedBy('p95'))
      }
      rows.push([name, pauseMs === 0 ? 'none' : `${pauseMs} ms`, ...cells.map((values) => median(values).toFixed(1))])
    }
  }
  printTable(['ms', 'pause', 'RPC p50', 'tool p50', 'added', 'RPC p95', 'tool p95', 'added'], rows)
  recordFigure('mcpP50', added.p50)
  recordFigure('mcpP95', added.p95)
  console.log(`\nAt concurrency ${concurrency}.\n`)
}

interface Latency {
  p50: number
  p95: number
}

/** With a pause between the calls it measures latency, and without a pause throughput. */
async function measure(request: () => Promise<unknown>, pauseMs: number): Promise<Latency> {
  const times: number[] = []
  // Without pauses, callers wait for each other, and their times scatter more.
  let left = pauseMs === 0 ? 4 * callsPerRound : callsPerRound
  const worker = async () => {
    while (left-- > 0) {
      // Random pauses, so that the callers do not run in lockstep.
      if (pauseMs > 0) await setTimeout(pauseMs * (0.5 + Math.random()))
      const begin = performance.now()
      await request()
      times.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

async function coldStarts(): Promise<void> {
  const packed = join(directory, 'package')
  await mkdir(packed)
  await bundle(packed)
  const forms = { package: join(packed, 'bin/assay-mcp.js'), checkout: join(root, 'mcp-server/start.mjs') }
  const figures = Object.entries(forms).map(([name, script]) => ({
    name,
    script,
    ms: [] as number[],
    mib: [] as number[],
  }))
  for (let round = 0; round <= starts; round++) {
    for (const { script, ms, mib } of figures) {
      const start = await startOverStdio(script, join(directory, 'cache'), { baseUrl, token })
      if (round === 0) continue // Fills the compile cache.
      ms.push(start.milliseconds)
      mib.push(start.mebibytes)
    }
  }
  printTable(
    ['stdio', 'ms to initialize', 'min to max', 'resident MiB after a call'],
    figures.map(({ name, ms, mib }) => [
      name,
      Math.round(median(ms)),
      `${Math.round(Math.min(...ms))} to ${Math.round(Math.max(...ms))}`,
      Math.round(median(mib)),
    ]),
  )
  const ofCheckout = figures.find(({ name }) => name === 'checkout')
  recordFigure('stdioStart', ofCheckout?.ms ?? [])
  recordFigure('stdioMemory', ofCheckout?.mib ?? [])
  console.log('')
}

/** Creates a project with a correct test and faulty code. */
async function makeRedProject(folder: string): Promise<string> {
  const files = {
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'price.js': 'export const price = (cost, count) => cost + count\n',
    'price.test.js': [
      "import assert from 'node:assert/strict'",
      "import test from 'node:test'",
      "import { price } from './price.js'",
      "test('three of a kind cost three times as much', () => {",
      '  assert.equal(price(5, 3), 15)',
      '})',
      '',
    ].join('\n'),
  }
  await mkdir(folder)
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', ...args], {
      cwd: folder,
    })
  await git('init', '--quiet', '--initial-branch', 'main')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'Sell')
  return folder
}

async function prepare(): Promise<{ token: string; projectId: string }> {
  const { config, problems } = readConfig(environment)
  if (!config) throw new Error(problems.join('; '))
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('silent') })
  const user = await createUser(app)
  for (let made = 0; made < 19; made++) await createProjectFor(app, { user, name: `Project ${made}` })
  const project = await createProjectFor(app, { user, name: 'Shop', repository })
  return { token: await createTokenFor(app, { user }), projectId: project.id }
}
