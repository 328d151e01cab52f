import { expect, test } from 'vitest'
import { runCoverageWords } from './run-coverage-words.ts'

test('words the coverage of a run with its lines, files and largest gaps', () => {
  const worst = [
    { path: 'src/a.ts', coveredLines: 12, totalLines: 40 },
    { path: 'src/b.ts', coveredLines: 0, totalLines: 1 },
  ]
  const coverageFigures = { coveredLines: 1_173, totalLines: 1_204, files: 31, worst }
  expect(runCoverageWords({ coverage: 97.43, coverageFigures })).toEqual({
    summary: '97.4 % of 1,204 lines in 31 files',
    worst: 'src/a.ts (12 of 40 lines), src/b.ts (0 of 1 line)',
  })
  const whole = { coveredLines: 1, totalLines: 1, files: 1, worst: [] }
  expect(runCoverageWords({ coverage: 100, coverageFigures: whole })).toEqual({
    summary: '100.0 % of 1 line in 1 file',
    worst: null,
  })
  expect(runCoverageWords({ coverage: 50 })).toEqual({ summary: '50.0 % of lines', worst: null })
  expect(runCoverageWords({ coverage: null })).toBeNull()
})
