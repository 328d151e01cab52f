import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Judged, Judgment } from './outcome.ts'
import type { StrengthRepository } from './repositories.ts'

const latest = '10'
export const strykerPackages = ({ framework, stryker = latest }: StrengthRepository): string[] =>
  ['core', `${framework}-runner`].map((name) => `@stryker-mutator/${name}@${stryker}`)

const position = z.object({ line: z.int(), column: z.int() })
const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          replacement: z.string().optional(),
          location: z.object({ start: position, end: position }),
          status: z.string(),
        }),
      ),
    }),
  ),
})

const outcomes: Readonly<Record<string, Judged['outcome']>> = {
  Killed: 'noticed',
  Survived: 'survived',
  Timeout: 'timed_out',
  NoCoverage: 'not_reached',
}

/** Tries all mutants with StrykerJS, in a checkout where it is installed. */
export async function judgeWithStryker(repository: StrengthRepository, root: string): Promise<Judgment> {
  const { framework, mutate } = repository
  const report = 'stryker.json'
  const settings = {
    testRunner: framework,
    coverageAnalysis: 'perTest',
    concurrency: availableParallelism(),
    mutate,
    reporters: ['json'],
    jsonReporter: { fileName: report },
    checkers: [],
    allowConsoleColors: false,
    disableTypeChecks: true,
    warnings: false,
  }
  await writeFile(join(root, 'stryker.conf.json'), JSON.stringify(settings))
  const from = performance.now()
  await promisify(execFile)('npx', ['--no-install', 'stryker', 'run', 'stryker.conf.json'], {
    cwd: root,
    env: { ...process.env, CI: 'true' },
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout?: string }) => {
    throw new Error(`StrykerJS failed: ${(error.stdout ?? '').slice(-2_000)}`)
  })
  const ms = performance.now() - from
  const { files } = Report.parse(JSON.parse(await readFile(join(root, report), 'utf8')))
  const mutants = Object.entries(files).flatMap(([path, file]) =>
    file.mutants.map(({ replacement = '', location, status }): Judged => {
      const [start, end] = [offsetOf(file.source, location.start), offsetOf(file.source, location.end)]
      return {
        path,
        line: location.start.line,
        original: file.source.slice(start, end),
        replacement,
        source: file.source.slice(0, start) + replacement + file.source.slice(end),
        outcome: outcomes[status] ?? 'other',
      }
    }),
  )
  return { ms, mutants }
}

/** Lines and columns begin with 1. */
function offsetOf(source: string, { line, column }: z.infer<typeof position>): number {
  let at = 0
  for (let passed = 1; passed < line; passed++) at = source.indexOf('\n', at) + 1
  return at + column - 1
}
