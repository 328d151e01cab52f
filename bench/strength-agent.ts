/**
 * The round of an agent that has ten minutes: how much the tests of a repository check, tests for what they do not notice,
 * how much the tests check then, until no test is left to write, and the verdict on these tests. Calls the MCP server over
 * stdio as an agent does, with a working tree. In each turn it writes those tests of `strength/agent-tests.ts` that are
 * about a function of a survivor in the last answer, so that only Assay is measured. Argument: a folder with a checkout
 * named `owner+name`.
 */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { connectV2 } from '../mcp-server/testing/clients.ts'
import { StrengthFacts } from '../mcp-server/answers/strength-facts.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { agentTests } from './strength/agent-tests.ts'
import { repositories } from './strength/repositories.ts'
import { makeSubject } from './strength/subject.ts'
import { startAssay } from './verify/start.ts'

const limitMs = 600_000
const budgetSeconds = 120

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
const written: (typeof agentTests)['tests'] = []
const begunAt = performance.now()
const percents: number[] = []
for (;;) {
  const { facts, s, calls } = await call('find_weak_tests', { localPath, paths, budgetSeconds })
  const { strength, changes, survivors, verdict } = StrengthFacts.parse(facts)
  if (strength) percents.push(strength.percent)
  const named = survivors?.map((survivor) => survivor.in ?? '') ?? []
  const chosen = agentTests.tests.filter(
    (one) => !written.includes(one) && one.about.some((name) => named.includes(name)),
  )
  const interval = strength ? `${strength.low} to ${strength.high}` : ''
  const tried = `${changes?.noticed} of ${changes?.tried}, ${changes?.kept} kept, ${verdict}`
  rows.push([written.length, strength?.percent ?? '', interval, tried, new Set(named).size, chosen.length, s, calls])
  if (chosen.length === 0 || performance.now() - begunAt > limitMs) break
  written.push(...chosen)
  await writeFile(join(localPath, agentTests.path), codeOf(written))
}
printTable(['tests written', 'strength, %', '95 %', 'noticed', 'functions named', 'tests chosen', 's', 'calls'], rows)
console.log(
  `\nStrength: ${percents[0]} % before, ${percents.at(-1)} % after, in ${seconds(performance.now() - begunAt)} s.`,
)
const code = codeOf(written)
const { facts, s, calls } = await call('verify_test', { localPath, filePath: agentTests.path, code })
console.log(`verify_test: ${String(facts['verdict'])}, ${String(facts['reason'])}, in ${s} s and ${calls} calls.`)
console.log(`In all ${seconds(performance.now() - begunAt)} s (goal: 600), with the installation of dependencies.`)
process.exit()

function codeOf(tests: readonly { code: string }[]): string {
  return [agentTests.head, ...tests.map((one) => one.code)].join('\n')
}

/** Calls a tool as its answers say, until it has ended. */
async function call(tool: string, first: Record<string, unknown>) {
  const from = performance.now()
  let answer = await agent.call(tool, first)
  let calls = 1
  while (!answer.isError && ['pending', 'running'].includes(String(answer.facts['status']))) {
    const { measurementId, verificationId } = answer.facts
    answer = await agent.call(tool, measurementId === undefined ? { verificationId } : { measurementId })
    calls += 1
  }
  if (answer.isError) throw new Error(answer.text)
  return { facts: answer.facts, s: seconds(performance.now() - from), calls }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0)
}
