import { expect, test } from 'vitest'
import { AnalysisResult, type AnalyzedFile } from '../engines/analysis/schema.ts'
import { cutForUpload } from './upload.ts'

const candidate = {
  path: 'src/parse.ts',
  symbol: 'parse',
  kind: 'function' as const,
  startLine: 1,
  endLine: 9,
  complexity: 3,
  churn: null,
  fanIn: 2,
  hasTest: false,
  score: 1,
  reasons: ['exported'],
}

function resultWith(files: AnalyzedFile[]): AnalysisResult {
  return {
    commitSha: 'a'.repeat(40),
    summary: { totalFiles: files.length, languages: {}, frameworks: [], hasTests: false, testFrameworks: [] },
    files,
    directories: ['src'],
    packageInfo: { name: 'shop' },
    testCandidates: [candidate],
  }
}

const file = (path: string, tags?: AnalyzedFile['tags']): AnalyzedFile => ({
  path,
  size: 1,
  extension: '.ts',
  language: 'TypeScript',
  ...(tags ? { tags } : {}),
})

test('uploads a small result unchanged', () => {
  const result = resultWith([file('src/parse.ts')])
  expect(cutForUpload(result)).toBe(result)
})

test('drops vendored files first from a large result, and keeps the test candidates', () => {
  const vendored = Array.from({ length: 500 }, (_, index) => file(`vendor/${index}.ts`, ['vendored']))
  const own = Array.from({ length: 20 }, (_, index) => file(`src/${index}.ts`))
  const result = resultWith([...vendored, ...own, file('src/parse.ts')])
  const cut = cutForUpload(result, 5_000)
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(5_000)
  expect(AnalysisResult.parse(cut)).toEqual(cut)
  expect(cut.testCandidates).toEqual([candidate])
  expect(cut.summary.totalFiles).toBe(521)
  expect(cut.files[0]?.path).toBe('src/parse.ts')
  expect(cut.files.filter(({ path }) => path.startsWith('src/'))).toHaveLength(21)
  expect(cut.warnings?.at(-1)?.message).toContain(`${521 - cut.files.length} of 521 files`)
})
