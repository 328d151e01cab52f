import { requestTests } from '../ai/client.ts'
import { takeAiTurn } from '../ai/slots.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { fitToBudget } from '../ai/budget.ts'
import { materialForTarget } from '../ai/choose-material.ts'
import { requireResult } from '../analysis/analyze-repository.ts'
import { type Material, readMaterial } from '../ai/read-material.ts'
import type { AnalysisResult, TestCandidate } from '../../engines/analysis/schema.ts'
import type { Context } from '../base/context.ts'
import { conflict, invalidField } from '../base/errors.ts'
import { getOwnProject, type OwnProject } from '../projects/get.ts'
import { noSuchSnapshot } from '../snapshots/get.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import type { SuggestionRow } from '../suggestions/entity.ts'
import { getOwnSuggestion, noSuchSuggestion } from '../suggestions/get.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'
import { checkAnswer } from './check-answer.ts'
import { acceptFramework } from './framework.ts'
import { presentGeneratedTest } from './present.ts'
import type { GeneratedTests, GenerateTests } from './schema.ts'
import { requireRoomForTests, storeGeneratedTests, type WrittenFor } from './store.ts'
import { findPart, requireSymbol, targetOf } from './target.ts'
import { placesOf } from './test-place.ts'
import { loadWritten } from './written.ts'

const readTimeoutMs = 30_000

/**
 * Writes tests for a suggestion, or for a file or symbol of the latest analysis or of a snapshot, and stores them. Analyzes
 * the project or the snapshot first if it has no analysis. The tests have not run yet: `tests.verify` runs and judges them.
 */
export async function generateTests(ctx: Context, input: GenerateTests): Promise<GeneratedTests> {
  const project = await getOwnProject(ctx, input.projectId, 'member')
  const suggestion = await openSuggestion(ctx, project, input.suggestionId)
  const analysis = await requireResult(ctx, input)
  const target = targetOf(analysis, suggestion, input.target)
  const framework = input.framework === undefined ? null : acceptFramework(input.framework, target.path, analysis)
  await requireRoomForTests(ctx, project)
  using _turn = takeAiTurn(project)
  const state = { commitSha: analysis.commitSha, snapshotId: input.snapshotId ?? null }
  const material = await readSource(ctx, project, { analysis, state, target })
  const warning = requireSymbol(analysis, target, material.sources, suggestion !== undefined)
  const answer = await requestTests(ctx, {
    code_analysis: fitToBudget(about(target, analysis)),
    target,
    count: input.count,
    ...(suggestion ? { test_type: suggestion.testType, suggestion: presentForAi(suggestion) } : {}),
    ...(framework === null ? {} : { framework }),
    ...material,
    avoid: await loadWritten(ctx, project.id, target),
  })
  const places = placesOf(analysis.files, analysis.summary.testing)
  const checked = checkAnswer(answer, places, {
    target,
    partOf: (symbol) => findPart(analysis, { path: target.path, symbol }),
    candidateOf: (tested) =>
      analysis.testCandidates?.find(({ path, symbol }) => path === tested.path && symbol === tested.symbol),
    count: input.count,
    framework,
  })
  const { tokensUsed } = answer
  const written = { projectId: project.id, ...state, suggestionId: suggestion?.id ?? null, tokensUsed }
  const stored = await storeGeneratedTests(ctx, written, checked.tests, places)
  const tests = stored.tests.map((row) => presentGeneratedTest(ctx, row))
  return {
    tests,
    warnings: [
      ...(warning === undefined ? [] : [warning]),
      ...checked.warnings,
      ...stored.warnings,
      ...(tests.length < input.count ? [shortOf(input.count, tests.length, checked.written)] : []),
    ],
  }
}

/** Explains why there are fewer tests than requested. */
function shortOf(count: number, kept: number, written: number): string {
  const lost = written - kept
  const why =
    lost === 0
      ? `the AI service wrote ${written === 0 ? 'none' : 'no more'}`
      : `the AI service wrote ${written}, of which ${lost} ${lost === 1 ? 'was' : 'were'} omitted or duplicates`
  return `${kept} of ${count} tests: ${why}.`
}

async function openSuggestion(
  ctx: Context,
  project: OwnProject,
  suggestionId: string | undefined,
): Promise<SuggestionRow | undefined> {
  if (suggestionId === undefined) return undefined
  const { suggestion } = await getOwnSuggestion(ctx, suggestionId, 'member')
  if (suggestion.projectId !== project.id) throw noSuchSuggestion()
  if (suggestion.status === 'open' || suggestion.status === 'outdated') return suggestion
  throw conflict(`This suggestion was ${suggestion.status}. To generate a test anyway, pass its code as target.`)
}

/** Sorts the candidates of the target first, because a large analysis is cut before it is sent. */
function about({ path }: VerificationTarget, analysis: AnalysisResult): AnalysisResult {
  const { testCandidates = [] } = analysis
  const ofTarget = (candidate: TestCandidate) => Number(candidate.path === path)
  return { ...analysis, testCandidates: testCandidates.toSorted((a, b) => ofTarget(b) - ofTarget(a)) }
}

const presentForAi = ({ description, rationale, exampleCode, caseIds }: SuggestionRow) => ({
  description,
  rationale,
  example_code: exampleCode,
  ...(caseIds ? { case_ids: caseIds } : {}),
})

async function readSource(
  ctx: Context,
  project: OwnProject,
  {
    analysis,
    state,
    target,
  }: {
    analysis: AnalysisResult
    state: Pick<WrittenFor, 'commitSha' | 'snapshotId'>
    target: VerificationTarget
  },
): Promise<Material> {
  try {
    const material = await readMaterial(ctx, project, state, materialForTarget(analysis, target), readTimeoutMs)
    if (material.sources.length > 0) return material
  } catch (error) {
    if (error instanceof RunFailure) throw noSuchSnapshot()
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    throw conflict(
      `Assay cannot read the source of the analyzed commit: ${error.message} Analyze the repository again.`,
    )
  }
  throw invalidField('target.path', 'is empty, is not a text file, or is larger than 1 MiB')
}
