import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { startFront } from './front.ts'
import { installed } from './install.ts'

/** Runs the protocol's conformance suite against our transport, and prints the results. */

const name = '@modelcontextprotocol/conformance'
const stable = '0.1.16'
const next = '0.2.0-alpha.12'

interface Scenario {
  name: string
  passed: number
  failed: number
  ok: boolean
}

interface Goal {
  what: string
  wanted: number
  count: (scenarios: readonly Scenario[]) => number
}

const isTasks = ({ name }: Scenario) => name.startsWith('tasks-')
/** A scenario without a check was skipped. */
const passed = (scenarios: readonly Scenario[]) => scenarios.filter((one) => one.ok && one.passed > 0)

const runs: readonly { version: string; args: string[]; goals: Goal[] }[] = [
  {
    version: stable,
    args: [],
    goals: [
      { what: 'checks', wanted: 40, count: (all) => all.reduce((sum, one) => sum + (one.ok ? one.passed : 0), 0) },
    ],
  },
  {
    version: next,
    args: ['--requirements', '2025-11-25'],
    goals: [{ what: 'required scenarios of 2025-11-25', wanted: 30, count: (all) => passed(all).length }],
  },
  {
    version: next,
    args: ['--requirements', '2026-07-28'],
    goals: [
      {
        what: 'required scenarios of 2026-07-28',
        wanted: 37,
        count: (all) => passed(all).filter((one) => !isTasks(one)).length,
      },
      { what: 'scenarios of the tasks extension', wanted: 9, count: (all) => passed(all).filter(isTasks).length },
    ],
  },
]

/** The summary has the failures, so the exit code is not needed. */
async function runSuite(program: string, args: string[]): Promise<string> {
  const options = { timeout: 300_000, maxBuffer: 64 * 2 ** 20 }
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options)
    return stdout
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return error.stdout
    throw error
  }
}

/** Reads the scenarios of the summary, without those that the suite does not count, except tasks. */
function readSummary(output: string): Scenario[] {
  const lines = stripVTControlCharacters(output).split('\n')
  const unscored = new Set(lines.flatMap((line) => /^ {2}\S ([\w-]+) \([\w-]+\)$/.exec(line)?.[1] ?? []))
  return lines.flatMap((line) => {
    const [, mark, name = '', passed, failed] = /^(\S) ([\w-]+): (\d+) passed, (\d+) failed/.exec(line) ?? []
    if (mark === undefined || (unscored.has(name) && !name.startsWith('tasks-'))) return []
    return [{ name, passed: Number(passed), failed: Number(failed), ok: mark === '✓' && failed === '0' }]
  })
}

const results = await mkdtemp(join(tmpdir(), 'assay-conformance-'))
try {
  await using front = await startFront()
  for (const { version, args, goals } of runs) {
    const program = await installed(name, version, 'conformance')
    const output = await runSuite(program, ['server', '--url', front.url, ...args, '-o', results])
    const scenarios = readSummary(output)
    for (const { what, wanted, count } of goals) {
      const reached = count(scenarios)
      if (reached < wanted) process.exitCode = 1
      process.stdout.write(`${version.padEnd(15)} ${what.padEnd(34)} ${reached}/${wanted}\n`)
    }
    for (const { name, passed, failed, ok } of scenarios) {
      if (!ok) process.stdout.write(`  failed: ${name} (${passed} checks passed, ${failed} failed)\n`)
    }
  }
} finally {
  await rm(results, { recursive: true, force: true })
}
