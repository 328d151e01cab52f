import { z } from 'zod'
import { CaseOutcome } from '../../engines/analysis/schema.ts'
import { SymbolKind } from '../../engines/parsing/schema.ts'
import { FileTag } from '../../engines/languages/schema.ts'
import { TestingPart } from '../../engines/test-plan/schema.ts'
import type { NamedFramework } from './frameworks.ts'
import { isSafePath, oneLine } from './safe-text.ts'

const count = z.number().nonnegative()
const line = z.int().positive()
const text = z.string().optional().catch(undefined)

/** The largest numbers of list elements that are read. */
const maxCases = 50
const maxParameters = 20

const Case = z.object({
  id: z.string().min(1).max(100),
  line,
  condition: z.string().min(1),
  outcome: CaseOutcome,
  result: text,
  covered: z.boolean().nullable().catch(null),
})
export type Case = z.infer<typeof Case>

const Parameter = z.object({ name: z.string(), type: text, isOptional: z.boolean().catch(false) })

const Brief = z.object({
  framework: z.string(),
  testFile: z.object({ path: z.string(), exists: z.boolean().catch(false) }),
  command: text,
  import: text,
  signature: text,
  parameters: z.preprocess((value) => listOf(Parameter, value).slice(0, maxParameters), z.array(Parameter)),
  construct: text,
  nearestTest: z
    .object({
      path: z.string(),
      line: line.optional().catch(undefined),
      helpers: z.array(z.string()).catch([]),
    })
    .optional()
    .catch(undefined),
})
export type Brief = z.infer<typeof Brief>

const Entry = z
  .object({ path: z.string(), symbol: z.string().max(500), startLine: line, endLine: line })
  .refine(({ path, symbol }) => isSafePath(path) && oneLine(symbol, 500) !== '')
export type Entry = z.infer<typeof Entry>

const Survivor = z.object({ line, original: z.string().max(1_000), replacement: z.string().max(1_000) })

const Candidate = z.object({
  path: z.string(),
  symbol: z.string(),
  kind: SymbolKind.catch('function'),
  startLine: line.optional().catch(undefined),
  endLine: line.optional().catch(undefined),
  complexity: count.optional().catch(undefined),
  churn: count.nullish().catch(undefined),
  fanIn: count.optional().catch(undefined),
  hasTest: z.boolean().optional().catch(undefined),
  reasons: z.array(z.string()).catch([]),
  language: text,
  exported: z.boolean().optional().catch(undefined),
  nearestTests: z.array(z.string()).catch([]),
  /** The lines that no test runs, where that was measured. */
  uncovered: z.array(z.object({ startLine: line, endLine: line })).catch([]),
  /** Small changes of it that all tests accept. */
  strength: z
    .object({ survivors: z.preprocess((value) => listOf(Survivor, value).slice(0, 5), z.array(Survivor)) })
    .optional()
    .catch(undefined),
  through: Entry.optional().catch(undefined),
  cases: z.preprocess((value) => listOf(Case, value).slice(0, maxCases), z.array(Case)),
  moreCases: count.catch(0),
  hasUncountedCases: z.literal(true).optional().catch(undefined),
  brief: Brief.optional().catch(undefined),
})
export type Candidate = z.infer<typeof Candidate>

const FileRecord = z.object({
  path: z.string(),
  size: count.catch(0),
  language: text,
  tags: z.array(FileTag).catch([]),
})

const SourceFile = z.preprocess((value) => (typeof value === 'string' ? { path: value } : value), FileRecord)
export type SourceFile = z.infer<typeof SourceFile>

const Framework = z.union([
  z.string().transform((name) => ({ name, confidence: 1 })),
  z.object({ name: z.string(), confidence: z.number().catch(0) }),
])

const Manifest = z.object({ path: z.string(), name: text })

const maxParts = 50
const maxGlobs = 100
const maxText = 1_000

const shortText = z.string().max(maxText)
const Testing = TestingPart.extend({
  directory: shortText,
  framework: shortText,
  command: shortText,
  fileCommand: shortText.optional().catch(undefined),
  // Without its globs a part is known to collect some files, but not which.
  testFiles: z.array(z.string().max(300)).max(maxGlobs).optional().catch(undefined),
})

/** The part of an analysis that tests are generated from. */
export interface Facts {
  commitSha: string | undefined
  candidates: Candidate[]
  /** The number of all candidates. `candidates` contains the best of them. */
  candidateCount: number
  files: SourceFile[]
  totalFiles: number
  languages: [name: string, files: number][]
  frameworks: NamedFramework[]
  testFrameworks: NamedFramework[]
  /** What a run of the tests would do, by part of the repository. */
  testing: TestingPart[]
  manifests: z.infer<typeof Manifest>[]
  projectName: string | undefined
}

/**
 * Reads an AnalysisResult or similar JSON, and skips elements with another format. Files may be just paths; candidates
 * need only path and symbol.
 */
export function readFacts(analysis: Record<string, unknown>): Facts {
  const summary = recordOf(analysis['summary'])
  const candidates = listOf(Candidate, analysis['testCandidates'])
  const files = listOf(SourceFile, analysis['files'])
  return {
    commitSha: text.parse(analysis['commitSha']),
    candidates,
    candidateCount: Math.max(candidates.length, numberOf(summary['candidateCount'])),
    files,
    totalFiles: Math.max(files.length, numberOf(summary['totalFiles'])),
    languages: Object.entries(recordOf(summary['languages']))
      .map(([name, value]): [string, number] => [name, numberOf(value)])
      .toSorted(([a, filesOfA], [b, filesOfB]) => filesOfB - filesOfA || (a < b ? -1 : 1)),
    frameworks: listOf(Framework, summary['frameworks']),
    testFrameworks: listOf(Framework, summary['testFrameworks']),
    testing: listOf(Testing, summary['testing']).slice(0, maxParts),
    projectName: text.parse(recordOf(analysis['packageInfo'])['name']),
    manifests: listOf(Manifest, recordOf(analysis['packageInfo'])['manifests']),
  }
}

function listOf<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema>[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((element) => {
    const parsed = schema.safeParse(element)
    return parsed.success ? [parsed.data] : []
  })
}

const recordOf = (value: unknown) => z.record(z.string(), z.unknown()).catch({}).parse(value)

const numberOf = (value: unknown) => count.catch(0).parse(value)
