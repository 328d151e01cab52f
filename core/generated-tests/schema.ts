import { z } from 'zod'
import { TestType } from '../ai/schema.ts'
import { gitRef } from '../analysis/schema.ts'
import { commitSha, url } from '../base/input-fields/schema.ts'
import { Verdict, VerificationTarget } from '../../engines/verdicts/schema.ts'

export const GeneratedTest = z.object({
  id: z.string(),
  projectId: z.string(),
  url,
  suggestionId: z.string().nullable(),
  commitSha: z.string(),
  /** The snapshot that the test was generated for; null for a commit of the repository. */
  snapshotId: z.string().nullable(),
  /** The path of the test in the repository. */
  filePath: z.string(),
  code: z.string(),
  testType: TestType,
  framework: z.string().nullable(),
  description: z.string(),
  target: VerificationTarget.nullable(),
  /** The cases of the target that the test covers, as the AI service says; null if it names none. */
  caseIds: z.array(z.string()).nullable(),
  /** The verdict of the latest completed verification. */
  verdict: Verdict.nullable(),
  verificationId: z.string().nullable(),
  dismissedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
})
export type GeneratedTest = z.infer<typeof GeneratedTest>

/** The name of a symbol, as written in the file. */
const GivenTarget = VerificationTarget.extend({
  symbol: z
    .string()
    .min(1, 'is empty. Omit it to generate tests for the whole file.')
    .max(500)
    .refine(
      (name) => name.isWellFormed() && !name.includes('\0'),
      'contains a NUL character or invalid Unicode. Remove it.',
    )
    .optional(),
})

export const GenerateTests = z
  .strictObject({
    projectId: z.string(),
    /** A file of the analysis, or a symbol of such a file. */
    target: GivenTarget.optional(),
    suggestionId: z.string().optional(),
    /** The commit to generate tests for, by default the latest analyzed one. */
    branch: gitRef.optional(),
    commitSha: commitSha.optional(),
    /** Generates tests for this snapshot instead of a commit. */
    snapshotId: z.string().optional(),
    /** A framework that Assay knows for the language of the file. */
    framework: z.string().min(1).max(100).optional(),
    count: z.int().min(1).max(10).default(1),
    /** How long the call may wait for the first analysis of a project that has none. */
    waitSeconds: z.int().min(0).max(45).default(45),
    userEmail: z.string().max(320).optional(),
  })
  .refine(
    ({ target, suggestionId }) => (target === undefined) !== (suggestionId === undefined),
    'requires either target or suggestionId',
  )
export type GenerateTests = z.infer<typeof GenerateTests>

export const GeneratedTests = z.object({ tests: z.array(GeneratedTest), warnings: z.array(z.string()) })
export type GeneratedTests = z.infer<typeof GeneratedTests>

export const ListGeneratedTests = z.strictObject({
  projectId: z.string(),
  suggestionId: z.string().optional(),
  verdict: Verdict.optional(),
  /** Dismissed tests are omitted by default. */
  dismissed: z.boolean().default(false),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
  userEmail: z.string().max(320).optional(),
})
export type ListGeneratedTests = z.infer<typeof ListGeneratedTests>

export const GeneratedTestsPage = z.object({
  tests: z.array(GeneratedTest.omit({ code: true })),
  pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
})
export type GeneratedTestsPage = z.infer<typeof GeneratedTestsPage>

export const GeneratedTestRef = z.strictObject({
  generatedTestId: z.string(),
  userEmail: z.string().max(320).optional(),
})
export type GeneratedTestRef = z.infer<typeof GeneratedTestRef>
