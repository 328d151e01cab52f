import { requestTests } from '../analysis/ai-client.ts'
import { takeAiTurn } from '../analysis/ai-turns.ts'
import { AnalysisError } from '../analysis/analyzer/types.ts'
import { fitToBudget } from '../analysis/budget.ts'
import { materialForTarget } from '../analysis/choose-material.ts'
import { getLatestResult } from '../analysis/get.ts'
import { type Material, readMaterial } from '../analysis/read-material.ts'
import type { AnalysisResult, TestCandidate } from '../analysis/schema.ts'
import type { Context } from '../context.ts'
import { conflict, invalid } from '../errors.ts'
import { getOwnProject, type OwnProject } from '../projects/get.ts'
import type { SuggestionRow } from '../suggestions/entity.ts'
import { getOwnSuggestion, noSuchSuggestion } from '../suggestions/get.ts'
import type { VerificationTarget } from '../verifications/schema.ts'
import { checkAnswer } from './check-answer.ts'
import { loadWritten } from './written.ts'
import { presentGeneratedTest } from './present.ts'
import type { GeneratedTests, GenerateTests } from './schema.ts'
import { requireRoomForTests, storeGeneratedTests } from './store.ts'
import { placesOf } from './test-place.ts'

const readTimeoutMs = 30_000

/**
 * Has tests written for a suggestion, or for a file or symbol of the latest analysis, and keeps them. Nothing of them
 * has run yet: `tests.verify` tells what they are worth.
 */
export async function generateTests(ctx: Context, input: GenerateTests): Promise<GeneratedTests> {
  const project = await getOwnProject(ctx, input.projectId, 'member')
  const suggestion = await openSuggestion(ctx, project, input.suggestionId)
  const analysis = await getLatestResult(ctx, project.id)
  const target = targetOf(analysis, suggestion, input.target)
  await requireRoomForTests(ctx, project)
  using _turn = takeAiTurn(project)
  const answer = await requestTests(ctx, {
    code_analysis: fitToBudget(about(target, analysis)),
    target,
    count: input.count,
    ...(suggestion ? { test_type: suggestion.testType, suggestion: presentForAi(suggestion) } : {}),
    ...(input.framework === undefined ? {} : { framework: input.framework }),
    ...(await readSource(ctx, project, analysis, target)),
    avoid: await loadWritten(ctx, project.id, target),
  })
  const places = placesOf(analysis.files)
  const checked = checkAnswer(answer, places, {
    target,
    partOf: (symbol) => findPart(analysis, { path: target.path, symbol }),
    count: input.count,
    framework: input.framework ?? null,
  })
  const written = { projectId: project.id, commitSha: analysis.commitSha, suggestionId: suggestion?.id ?? null }
  const stored = await storeGeneratedTests(ctx, written, checked.tests, places)
  return {
    tests: stored.tests.map(presentGeneratedTest),
    warnings: [...checked.warnings, ...stored.warnings],
  }
}

async function openSuggestion(
  ctx: Context,
  project: OwnProject,
  suggestionId: string | undefined,
): Promise<SuggestionRow | undefined> {
  if (suggestionId === undefined) return undefined
  const { suggestion } = await getOwnSuggestion(ctx, suggestionId, 'member')
  if (suggestion.projectId !== project.id) throw noSuchSuggestion()
  if (suggestion.status === 'open') return suggestion
  throw conflict(
    `This suggestion was ${suggestion.status}. Name its code as target to have a test written all the same.`,
  )
}

function targetOf(
  analysis: AnalysisResult,
  suggestion: SuggestionRow | undefined,
  given: VerificationTarget | undefined,
): VerificationTarget {
  const target = suggestion ? { path: suggestion.filePath, ...suggestion.target } : given
  if (!target) throw invalid('Give either a target or the suggestionId of a suggestion.')
  const file = analysis.files.find(({ path }) => path === target.path)
  if (!file) throw missingFile(suggestion)
  if (file.tags?.some((tag) => tag === 'symlink' || tag === 'submodule')) {
    throw invalid(
      `target.path: is a ${file.tags.includes('symlink') ? 'symbolic link' : 'submodule'} and has no code of its own`,
    )
  }
  return findPart(analysis, target) ?? target
}

function missingFile(suggestion: SuggestionRow | undefined) {
  if (!suggestion)
    return invalid('target.path: is no file of the latest analysis; projects.getLatestProjectAnalysis lists them')
  return conflict('The file of this suggestion is not in the latest analysis any more. Ask for new suggestions.')
}

/** Where the symbol is by now; undefined where the analysis did not rank it. */
function findPart(
  { testCandidates = [] }: AnalysisResult,
  { path, symbol }: Pick<VerificationTarget, 'path' | 'symbol'>,
): VerificationTarget | undefined {
  const candidate = testCandidates.find((candidate) => candidate.path === path && candidate.symbol === symbol)
  return candidate && { path, symbol, startLine: candidate.startLine, endLine: candidate.endLine }
}

/** Of a large analysis not everything is sent: what is about the target comes first. */
function about({ path }: VerificationTarget, analysis: AnalysisResult): AnalysisResult {
  const { testCandidates = [] } = analysis
  const ofTarget = (candidate: TestCandidate) => Number(candidate.path === path)
  return { ...analysis, testCandidates: testCandidates.toSorted((a, b) => ofTarget(b) - ofTarget(a)) }
}

const presentForAi = ({ description, rationale, exampleCode }: SuggestionRow) => ({
  description,
  rationale,
  example_code: exampleCode,
})

async function readSource(
  ctx: Context,
  project: OwnProject,
  analysis: AnalysisResult,
  target: VerificationTarget,
): Promise<Material> {
  try {
    const material = await readMaterial(
      ctx,
      project,
      analysis.commitSha,
      materialForTarget(analysis, target),
      readTimeoutMs,
    )
    if (material.sources.length > 0) return material
  } catch (error) {
    if (!(error instanceof AnalysisError) || error.code === 'cancelled') throw error
    throw conflict(`The source of the analysed commit cannot be read: ${error.message} Analyse the repository again.`)
  }
  throw invalid('target.path: has no text that a test could be written for, or is larger than 1 MiB')
}
