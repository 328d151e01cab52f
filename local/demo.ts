/** `npm run demo`: analyzes a repository and prints grounded test suggestions. */
import { readFile } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { createTRPCClient, httpLink, TRPCClientError, type TRPCClient } from '@trpc/client'
import { readAiConfig } from '../ai-service/config.ts'
import { readConfig, type Config } from '../core/config.ts'
import type { AppRouter } from '../core/router.ts'
import type { AnalysisWithResult } from '../core/analysis/schema.ts'
import type { SuggestTestsResult } from '../core/suggestions/schema.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import { readMcpConfig } from '../mcp-server/config.ts'
import { startAssay } from './assay.ts'
import { exitWith, LaunchError } from './launch-error.ts'
import { findRunning } from './running.ts'

const shownCandidates = 10
const shownSuggestions = 5
const projectRoot = resolve(import.meta.dirname, '..')
const interactive = process.stdout.isTTY

type Client = TRPCClient<AppRouter>

const [given = projectRoot, ...excess] = process.argv.slice(2)
if (excess.length > 0 || given.startsWith('-')) exitWith(['usage: npm run demo -- <path or URL of a git repository>'])
const repository = /^[a-z]+:\/\//i.test(given) || isAbsolute(given) ? given : resolve(process.cwd(), given)

// An Assay that this program started must stop before it exits.
let ended: Promise<string | undefined> | undefined
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted = true
    if (!ended) process.exit(130)
  })
}

try {
  await using opened = new AsyncDisposableStack()
  const client = await connect(opened)
  step(`Repository ${repository}`)
  const { project, isNew } = await findOrCreateProject(client)
  const analysis = await analyze(client, project.id)
  if (!analysis.result) {
    if (isNew) await client.projects.deleteProject.mutate({ projectId: project.id })
    throw new LaunchError([analysis.error?.message ?? 'the analysis ended without a result'])
  }
  showAnalysis(analysis.result)
  step('Suggesting tests …')
  showSuggestions(
    await client.analysis.suggestTests.mutate({ projectId: project.id, maxSuggestions: shownSuggestions }),
  )
  step(
    `Next: ${ended ? 'run `npm start` and ' : ''}connect your coding agent as \`npm start\` explains. Then ask it: "What should I test here?"`,
  )
} catch (error) {
  if (interrupted) {
    await ended
    process.exit(130)
  }
  if (error instanceof LaunchError) exitWith(error.problems)
  if (error instanceof TRPCClientError) exitWith([error.message])
  throw error
}

/** Connects to the running Assay, or starts one for the demo. */
async function connect(opened: AsyncDisposableStack): Promise<Client> {
  const core = readConfig({ EMBEDDED_DATABASE_URL: 'postgres://embedded', ...process.env })
  const ai = readAiConfig({ ...process.env, AI_PORT: '0' })
  const mcp = readMcpConfig({ ...process.env, MCP_PORT: '0' })
  if (!core.config || !ai.config || !mcp.config) {
    throw new LaunchError([...core.problems, ...ai.problems, ...mcp.problems])
  }
  const running = await connectToRunning(core.config)
  if (running) {
    step(`Using the running Assay at ${running.url}`)
    return running.client
  }
  step('Starting Assay …')
  const assay = opened.use(
    await startAssay(
      { core: { ...core.config, port: 0 }, ai: ai.config, mcp: mcp.config },
      { ...process.env, PORT: '0' },
    ),
  )
  ended = assay.ended
  void ended.then((reason) => {
    if (interrupted) process.exit(130)
    if (reason) exitWith([reason])
  })
  return createClient(assay.coreUrl, await readFile(assay.tokenFile ?? '', 'utf8'))
}

async function connectToRunning(config: Config): Promise<{ url: string; client: Client } | undefined> {
  // The running Assay may have been started with other settings than this demo.
  const url = (await findRunning(config.dataDir))?.listening ?? `http://${config.host}:${config.port}`
  try {
    const token = await readFile(join(config.dataDir, 'token'), 'utf8')
    const client = createClient(url, token)
    await client.tokens.current.query()
    return { url, client }
  } catch {
    return undefined // No token, no server, or a server with another token.
  }
}

function createClient(url: string, token: string): Client {
  return createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${url}/trpc`, headers: { authorization: `Bearer ${token.trim()}` } })],
  })
}

async function findOrCreateProject(client: Client) {
  const found = (await client.projects.getProjects.query()).find((project) => project.repository === repository)
  if (found) return { project: found, isNew: false }
  const name =
    repository
      .replace(/(?<!\/)\/+$|\.git$/g, '')
      .split('/')
      .at(-1) || 'demo'
  return { project: await client.projects.createProject.mutate({ name, repository }), isNew: true }
}

async function analyze(client: Client, projectId: string): Promise<AnalysisWithResult> {
  const startedAt = performance.now()
  const { id } = await client.analysis.startAnalysis.mutate({ projectId })
  for (let shown = ''; ;) {
    const analysis = await client.analysis.getAnalysis.query({ analysisId: id, includeResult: true })
    const { status, progress } = analysis
    if (status === 'completed' || status === 'failed') {
      clearProgress()
      if (status === 'completed')
        step(`Analyzed ${analysis.filesAnalyzed} files in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
      return analysis
    }
    const line = progress?.filesTotal
      ? `${progress.phase} ${progress.filesDone} / ${progress.filesTotal} files`
      : `${status} …`
    if (line !== shown) showProgress((shown = line))
    await new Promise((done) => setTimeout(done, 100))
  }
}

function showAnalysis({ summary, testCandidates = [], commitSha }: AnalysisResult): void {
  const languages = Object.entries(summary.languages).toSorted(([, a], [, b]) => b - a)
  const names = (found: AnalysisResult['summary']['testFrameworks']) =>
    found.map((framework) => (typeof framework === 'string' ? framework : framework.name)).join(', ') || 'none found'
  print([
    `Commit       ${commitSha.slice(0, 12)}`,
    `Languages    ${languages
      .slice(0, 6)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
    `Frameworks   ${names(summary.frameworks)}`,
    `Test runners ${names(summary.testFrameworks)}`,
  ])
  step(
    `Code that is most worth testing: ${Math.min(shownCandidates, testCandidates.length)} of ${summary.candidateCount ?? testCandidates.length} candidates`,
  )
  for (const [index, candidate] of testCandidates.slice(0, shownCandidates).entries()) {
    print([
      `${String(index + 1).padStart(2)}. ${candidate.symbol}  ${candidate.path}:${candidate.startLine}-${candidate.endLine}`,
      `    ${candidate.reasons.join('; ')}`,
    ])
  }
}

function showSuggestions({ suggestions, summary }: SuggestTestsResult): void {
  print([summary])
  for (const { file_path, test_type, description, rationale, target } of suggestions) {
    print([
      '',
      `${test_type} test for ${target?.symbol ?? file_path} (${file_path}${target ? `:${target.startLine}` : ''})`,
      `    ${description}`,
      `    ${rationale}`,
    ])
  }
  const [best] = suggestions
  if (best)
    print([
      '',
      'Example code of the first suggestion:',
      '',
      ...best.example_code
        .split('\n')
        .slice(0, 30)
        .map((line) => `    ${line}`),
    ])
}

function step(text: string): void {
  console.log(`\n${interactive ? `\x1b[1m${text}\x1b[0m` : text}`)
}

function print(lines: string[]): void {
  for (const line of lines) console.log(`  ${line}`)
}

function showProgress(line: string): void {
  if (interactive) process.stdout.write(`\r\x1b[K  ${line}`)
  else console.log(`  ${line}`)
}

function clearProgress(): void {
  if (interactive) process.stdout.write('\r\x1b[K')
}
