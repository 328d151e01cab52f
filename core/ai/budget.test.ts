import { expect, test } from 'vitest'
import { fitToBudget } from './budget.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'

function analysis(files: number, candidates: number): AnalysisResult {
  const path = (index: number) => `src/folder/file-${index}.ts`
  return {
    commitSha: 'c'.repeat(40),
    summary: {
      totalFiles: files,
      languages: { TypeScript: files },
      frameworks: [],
      hasTests: true,
      testFrameworks: ['vitest'],
    },
    files: Array.from({ length: files }, (_, index) => ({
      path: path(index),
      size: 1,
      extension: '.ts',
      language: 'TypeScript',
    })),
    directories: ['src'],
    packageInfo: { name: 'x' },
    testCandidates: Array.from({ length: candidates }, (_, index) => ({
      path: path(files - 1 - index),
      symbol: 'a',
      kind: 'function',
      startLine: 1,
      endLine: 2,
      complexity: 3,
      churn: null,
      fanIn: 0,
      hasTest: false,
      score: candidates - index,
      reasons: ['exported'],
      nearestTests: [path(index)],
    })),
  }
}

test('leaves a small analysis unchanged', () => {
  expect(fitToBudget(analysis(10, 5))).toEqual(analysis(10, 5))
})

test('keeps the best candidates of a large analysis, their files and tests, and all counts', () => {
  const whole = analysis(20_000, 500)
  const fitted = fitToBudget(whole)
  expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(1_048_576)
  expect(fitted.testCandidates).toEqual(whole.testCandidates?.slice(0, 200))
  expect(fitted.summary).toEqual(whole.summary)
  const paths = new Set(fitted.files.map((file) => file.path))
  for (const candidate of fitted.testCandidates ?? []) {
    expect(paths.has(candidate.path) && paths.has(candidate.nearestTests?.[0] ?? '')).toBe(true)
  }
  expect(fitted.files.length).toBeGreaterThan(5_000)
})
