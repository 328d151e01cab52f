import type { TestRunRow } from '../../core/test-runs/entity.ts'
import { after, second } from './random.ts'
import type { Scene } from './target.ts'

const green = (text: string) => `\u001b[32m${text}\u001b[39m`
const red = (text: string) => `\u001b[31m${text}\u001b[39m`
const gray = (text: string) => `\u001b[90m${text}\u001b[39m`
const linesPerChunk = 2_000

/** Stores logs with colors for these runs. The first one has `lines` lines, and the second one may have a very long line. */
export async function fillLogs(
  scene: Scene,
  runs: readonly TestRunRow[],
  { logLines: lines, hostile }: { logLines: number; hostile: boolean },
): Promise<void> {
  for (const [index, run] of runs.entries()) {
    const log = index === 0 && lines > 0 ? longLog(scene, lines) : testLog(scene, run)
    if (index === 1 && hostile) log.splice(4, 0, `A line of one megabyte: ${'0123456789abcdef'.repeat(65_536)}`)
    await storeLog(scene, run.id, log)
  }
}

export async function storeLog({ app }: Pick<Scene, 'app'>, runId: string, lines: readonly string[]): Promise<void> {
  for (let first = 0; first < lines.length; first += linesPerChunk) {
    const chunk = lines.slice(first, first + linesPerChunk)
    await app.dataSource.query('INSERT INTO test_run_log (run_id, first_line, lines, text) VALUES ($1, $2, $3, $4)', [
      runId,
      first,
      chunk.length,
      chunk.join('\n'),
    ])
  }
}

const failedInstall = [
  '$ npm ci',
  red('npm error code ERESOLVE'),
  red('npm error ERESOLVE unable to resolve dependency tree'),
  'npm error Found: tap@21.0.0',
  'npm error Could not resolve dependency: peer tap@"^18" from @types/tap@18.0.0',
  '# npm ci ended with exit code 1.',
]

function testLog({ sources, random }: Scene, run: TestRunRow): string[] {
  const tests = sources.tests.slice(0, 60)
  const install = ['$ npm ci', '', `added ${random.between(120, 400)} packages in 6s`, '', '$ node --test']
  if (run.error?.code === 'install_failed') return failedInstall
  if (run.error?.code === 'no_tests') {
    const missing = red("node: cannot find the module 'test/setup.js' that --import names")
    return [...install, missing, '# node --test ended with exit code 9.']
  }
  const body = tests.map(({ name }, index) => {
    const took = gray(`(${(random.next() * 40).toFixed(2)}ms)`)
    return index % 29 === 11 && run.failedTests > 0 ? `${red('✖')} ${name} ${took}` : `${green('✔')} ${name} ${took}`
  })
  if (run.error) return [...install, ...body.slice(0, 20), '# node --test was stopped after 5 minutes.']
  const counts = [`ℹ tests ${run.totalTests}`, `ℹ pass ${run.passedTests}`, `ℹ fail ${run.failedTests}`]
  return [...install, ...body, ...counts, gray(`ℹ duration_ms ${run.duration ?? 0}`)]
}

function longLog({ now }: Scene, lines: number): string[] {
  return Array.from({ length: lines }, (_, index) => {
    const time = gray(after(now, index * second).toISOString())
    if (index % 5_000 === 4_999) return `${time} ${red('error')} worker ${index % 8} lost its connection`
    return `${time} ${green('debug')} worker ${index % 8} handled request ${index + 1} in ${index % 17} ms`
  })
}
