import { expect, test } from 'vitest'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { AnalysisFacts, analysisForm } from './analysis-facts.ts'
import { write } from './output.ts'
import { summaryFacts } from './summary-facts.ts'

type Files = readonly (readonly [language: string, count: number, tag?: 'vendored' | 'test'])[]

function resultOf(files: Files, summary: Partial<AnalysisResult['summary']> = {}): AnalysisResult {
  const listed = files.flatMap(([language, count, tag]) =>
    Array.from({ length: count }, (_, index) => ({
      path: `${language}/${tag ?? 'own'}/${index}`,
      size: 10,
      extension: '',
      language,
      ...(tag ? { tags: [tag] } : {}),
    })),
  )
  return {
    commitSha: '1'.repeat(40),
    summary: {
      totalFiles: listed.length,
      languages: {},
      frameworks: [],
      hasTests: false,
      testFrameworks: [],
      ...summary,
    },
    files: listed,
    directories: [],
    packageInfo: { name: 'shop' },
  }
}

function textOf(result: AnalysisResult): string {
  const facts = AnalysisFacts.parse({ analysisId: 'a', status: 'completed', summary: summaryFacts(result) })
  return write(facts, analysisForm, false).text
}

test('says that code in a language without a parser gives no candidates', () => {
  const text = textOf(
    resultOf([
      ['Kotlin', 547],
      ['Java', 200],
      ['JSON', 71],
      ['Python', 900, 'vendored'],
    ]),
  )
  expect(text).toContain("547 of 818 files of the project's own are Kotlin, which is not parsed: no candidates come")
})

const parsedMost: { what: string; files: Files }[] = [
  {
    what: 'a parsed language',
    files: [
      ['Java', 9],
      ['Kotlin', 8],
    ],
  },
  {
    what: 'a dialect of one',
    files: [
      ['TSX', 5],
      ['TypeScript', 5],
      ['C', 8],
    ],
  },
  {
    what: 'components',
    files: [
      ['Vue', 5],
      ['Shell', 2],
    ],
  },
  {
    what: 'no programming language',
    files: [
      ['Markdown', 5],
      ['YAML', 2],
    ],
  },
  { what: 'nothing at all', files: [] },
]

test.each(parsedMost)('says nothing where most of the code is $what', ({ files }) => {
  expect(textOf(resultOf(files))).not.toContain('not parsed')
})

test('shows frameworks with low confidence separately', () => {
  const text = textOf(
    resultOf([], {
      frameworks: [
        { name: 'React', confidence: 0.95 },
        { name: 'Koa', confidence: 0.3 },
      ],
      testFrameworks: ['vitest', { name: 'Jest', confidence: 0.49 }],
    }),
  )
  expect(text).toContain('  frameworks: React\n  perhapsFrameworks: Koa\n')
  expect(text).toContain('  testFrameworks: vitest\n  perhapsTestFrameworks: Jest\n')
})

test('shows the first warnings and their total number', () => {
  const warnings = Array.from({ length: 5 }, (_, index) => ({
    code: 'too_large' as const,
    message: `File ${index} is too large.`,
    path: `${index}.ts`,
  }))
  const text = textOf({ ...resultOf([]), warnings })
  expect(text).toContain('warningCount: 5\n  firstWarnings: too_large: File 0 is too large. (0.ts); ')
  expect(text).not.toContain('File 3')
})
