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

/** Covers most of a file: blocks of lines are not covered, more of them in older runs. */
function coverFile({ path, code }: SourceFile, number: number, age: number): CoveredFile {
  const random = createRandom(number + 1)
  const missed = number % 11 === 5 ? 0.85 : number % 4 === 1 ? 0.3 : 0.06
  const uncovered = new Set<number>()
  for (let at = 0; at < code.length;) {
    const length = random.between(2, 9)
    const isMissed = random.next() < missed + age * 0.15
    for (const line of code.slice(at, at + length)) if (isMissed) uncovered.add(line)
    at += length
  }
  const covered = code.filter((line) => !uncovered.has(line))
  const partial = covered.filter((line) => line % 13 === 0)
  const branches = Math.ceil(code.length / 6)
  const functions = Math.ceil(code.length / 14)
  const share = covered.length / code.length
  return {
    path,
    covered: asRanges(covered),
    uncovered: asRanges([...uncovered].toSorted((a, b) => a - b)),
    lines: { covered: covered.length, total: code.length },
    branches: { covered: Math.floor(branches * share), total: branches },
    functions: { covered: Math.floor(functions * share), total: functions },
    reachedBranches: '',
    partialBranches: partial.map((line) => `${line}:1/2`).join(','),
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
