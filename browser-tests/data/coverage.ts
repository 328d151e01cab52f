import { storeCoverage } from '../../core/coverage/store.ts'
import { TestRunEntity, type TestRunRow } from '../../core/test-runs/entity.ts'
import { coverageFigures } from '../../core/test-runs/results/coverage-figures.ts'
import type { CoveredFile } from '../../engines/coverage/collect-apart.ts'
import { createRandom } from './random.ts'
import type { SourceFile } from './sources.ts'
import type { Scene } from './target.ts'

/** Stores the coverage of the project's files for some of the runs. It grows with time. */
export async function fillCoverage(
  { app, sources }: Scene,
  runs: readonly TestRunRow[],
  maxFiles: number,
): Promise<void> {
  const measured = runs.filter(({ status, totalTests }) => status === 'COMPLETED' && totalTests > 0)
  const files = sources.files.slice(0, maxFiles)
  for (const [index, run] of measured.filter((_, number) => number % 3 === 0).entries()) {
    const age = index / measured.length
    await app.dataSource.transaction(async (db) => {
      const tx = { db, signal: AbortSignal.timeout(60_000) }
      await storeCoverage(
        tx,
        run.id,
        files.map((file, number) => coverFile(file, number, age)),
      )
      const figures = await coverageFigures(tx, run.id)
      const coverage = figures && Math.round((figures.coveredLines / figures.totalLines) * 10_000) / 100
      Object.assign(run, { coverage, coverageFigures: figures })
      await db.getRepository(TestRunEntity).update({ id: run.id }, { coverage, coverageFigures: figures })
    })
  }
}

/**
 * Returns the lines of a file that tests do not run: blocks of its code, more of them in older runs.
 *
 * @param number - the position of the file among those of the project
 * @param age - 0 for the newest run, 1 for the oldest
 */
export function uncoveredLines(code: readonly number[], number: number, age: number): ReadonlySet<number> {
  const random = createRandom(number + 1)
  const missed = number % 11 === 5 ? 0.85 : number % 4 === 1 ? 0.3 : 0.06
  const uncovered = new Set<number>()
  for (let at = 0; at < code.length;) {
    const length = random.between(2, 9)
    const isMissed = random.next() < missed + age * 0.15
    for (const line of code.slice(at, at + length)) if (isMissed) uncovered.add(line)
    at += length
  }
  return uncovered
}

function coverFile({ path, code }: SourceFile, number: number, age: number): CoveredFile {
  const uncovered = uncoveredLines(code, number, age)
  const covered = code.filter((line) => !uncovered.has(line))
  const branches = code
    .filter((_line, index) => index % 6 === 3)
    .map((line) => ({ line, taken: uncovered.has(line) ? 0 : line % 3 === 0 ? 1 : 2 }))
  const functions = Math.ceil(code.length / 14)
  const share = covered.length / code.length
  return {
    path,
    covered: asRanges(covered),
    uncovered: asRanges([...uncovered].toSorted((a, b) => a - b)),
    lines: { covered: covered.length, total: code.length },
    branches: { covered: branches.reduce((sum, { taken }) => sum + taken, 0), total: 2 * branches.length },
    functions: { covered: Math.floor(functions * share), total: functions },
    reachedBranches: '',
    partialBranches: branches
      .filter(({ taken }) => taken < 2)
      .map(({ line, taken }) => `${line}:${taken}/2`)
      .join(','),
    completeBranches: branches
      .filter(({ taken }) => taken === 2)
      .map(({ line }) => `${line}:2`)
      .join(','),
    uncalled: '',
  }
}

/** Writes lines as `3-7,12`. */
export function asRanges(lines: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const line of lines) {
    const last = ranges.at(-1)
    if (last && last[1] === line - 1) last[1] = line
    else ranges.push([line, line])
  }
  return ranges.map(([start, end]) => (start === end ? start : `${start}-${end}`)).join(',')
}
