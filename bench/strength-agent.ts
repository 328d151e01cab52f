/**
 * The round of an agent that has ten minutes: how much the tests of a repository check, tests for what they do not notice,
 * the verdict on these, and how much the tests check then. Calls the MCP server over stdio as an agent does, with a working
 * tree. The tests are fixed (`strength/agent-tests.ts`), so that only Assay is measured. Argument: a folder with a checkout
 * named `owner+name`.
 */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { connectV2 } from '../mcp-server/testing/clients.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { agentTests } from './strength/agent-tests.ts'
import { repositories } from './strength/repositories.ts'
import { makeSubject } from './strength/subject.ts'
import { startAssay } from './verify/start.ts'

const [folder = '.'] = process.argv.slice(2)
const repository = repositories.find(({ name }) => name === agentTests.repository)
if (!repository) throw new Error(`${agentTests.repository} is not in the list of repositories`)

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const { directory } = scratch
const checkout = resolve(folder, repository.name.replace('/', '+'))
const localPath = await makeSubject(repository, checkout, join(directory, 'subject'))
const { baseUrl, token } = await startAssay(cleanUp, scratch, [localPath])
const agent = cleanUp.use(
  await connectV2(
    { kind: 'stdio', env: { SVC_BASE_URL: baseUrl, SVC_API_TOKEN: token, XDG_CACHE_HOME: directory } },
    'auto',
  ),
)

const paths = [...repository.mutate]
const rows: (string | number)[][] = []
const begunAt = performance.now()
await call('find_weak_tests, before', 'find_weak_tests', { localPath, paths, budgetSeconds: 120 })
await writeFile(join(localPath, agentTests.path), agentTests.code)
await call('verify_test', 'verify_test', { localPath, filePath: agentTests.path, code: agentTests.code })
await call('find_weak_tests, after', 'find_weak_tests', { localPath, paths, budgetSeconds: 120 })
printTable(['', 'said', 's', 'calls'], rows)
console.log(`\nIn all ${seconds(performance.now() - begunAt)} s (goal: 600), with the installation of dependencies.`)
process.exit()

/** Calls a tool as its answers say, until it has ended. */
async function call(label: string, tool: string, first: Record<string, unknown>): Promise<void> {
  const from = performance.now()
  let answer = await agent.call(tool, first)
  let calls = 1
  while (!answer.isError && ['pending', 'running'].includes(String(answer.facts['status']))) {
    const { measurementId, verificationId } = answer.facts
    answer = await agent.call(tool, measurementId === undefined ? { verificationId } : { measurementId })
    calls += 1
  }
  if (answer.isError) throw new Error(answer.text)
  const { summary, verdict } = answer.facts
  rows.push([label, String(summary ?? verdict), seconds(performance.now() - from), calls])
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0)
}
