import type { AiTarget } from '../../core/ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { type Section, estimateTokens, fenceSections, newBoundary } from '../prompts/fence.ts'
import {
  type PlacedTarget,
  avoidSection,
  candidatesSection,
  projectSection,
  sourcesSection,
  styleSection,
  suggestionSection,
  targetsSection,
} from '../prompts/material.ts'
import { type Prompt, conventionsOf, fillPrompt, prompts } from '../prompts/prompts.ts'
import { type Facts, readFacts } from '../repository/facts.ts'
import { browserFramework, chooseFramework } from '../repository/frameworks.ts'
import { freePathFor } from '../../engines/test-names/free-path.ts'
import { testHomeFor } from '../../engines/test-plan/test-home.ts'
import { completeTarget, findCandidate, isAvoided, knownPaths, targetOf } from '../repository/known-places.ts'
import { languageOf, linguistNameOf } from '../repository/languages.ts'
import { oneLine } from '../repository/safe-text.ts'
import { testedProject } from '../repository/source-files.ts'
import type { AnalyzeRequest, ProviderName } from '../schema.ts'
import { AnalyzeAnswer, GenerateAnswer, SuggestAnswer, UsableSuggestions, UsableTests } from './answers.ts'
import type { Asker } from './ask.ts'
import { checkSuggestions, isWorse, wrongCases } from './check-suggestions.ts'
import { checkTests } from './check-tests.ts'
import type { GenerateOptions, Provider } from './provider.ts'
import { noSpending } from './spending.ts'

/** The default number of files to generate. */
const usualCount = 3
const maxAdvice = 10
/** The model may choose others than the best candidates. */
const detailedPerSuggestion = 2

/** A provider with a model. Prompts and checks of answers are the same for all models. */
export function createModelProvider(name: ProviderName, asker: Asker): Provider {
  const { redact } = asker

  function compose(prompt: Prompt, sections: readonly Section[], values: Record<string, string | number>) {
    const boundary = newBoundary()
    const material = fillPrompt(prompts.material.text, { boundary })
    const system = fillPrompt(prompt.text, { ...values, material })
    const tokens = asker.model.inputTokens - estimateTokens(system)
    const { text, warnings } = fenceSections(sections, { boundary, tokens, redact })
    return { asking: { label: prompt.label, boundary, system, user: text }, warnings }
  }

  return {
    name,

    async suggestTests(analysis: AnalysisResult, options) {
      const facts = readFacts({ ...analysis })
      const sections = [
        projectSection(facts),
        avoidSection(options),
        candidatesSection(facts, options.maxSuggestions * detailedPerSuggestion),
        styleSection(options),
        sourcesSection(options),
      ]
      const conventions = conventionsOf(frameworksOf(facts, facts.candidates, undefined))
      const { asking, warnings } = compose(prompts.suggestTests, sections, {
        count: options.maxSuggestions,
        conventions,
      })
      const answer = await asker.ask(
        {
          ...asking,
          schema: SuggestAnswer,
          salvage: UsableSuggestions,
          problemOf: (answer) => wrongCases(answer, facts),
          isWorse: (second, first) => isWorse(second, first, facts),
        },
        options,
      )
      const checked = checkSuggestions(answer, { ...options, facts, redact })
      return { ...checked, warnings: [...warnings, ...(checked.warnings ?? [])] }
    },

    async generateTests(codeAnalysis, options) {
      const facts = readFacts(codeAnalysis)
      const count = options.count ?? usualCount
      const targets = targetsOf(facts, count, options)
      const placed = targets.map((target) => place(target, facts, options))
      const sections = [
        projectSection(facts),
        targetsSection(placed, options.suggestion?.case_ids),
        ...(options.suggestion ? [suggestionSection(options.suggestion)] : []),
        ...(targets.length === 0 ? [givenSection(codeAnalysis)] : []),
        avoidSection(options),
        styleSection(options),
        sourcesSection(options),
      ]
      const { asking, warnings } = compose(prompts.generateTests, sections, {
        count,
        conventions: conventionsOf(
          placed.length > 0
            ? placed.map(({ framework }) => framework)
            : frameworksOf(facts, facts.files, options.framework),
        ),
        type_wish: options.testType === undefined ? '' : `; here always \`${options.testType}\``,
      })
      const spending = options.spending ?? noSpending()
      const answer = await asker.ask(
        { ...asking, schema: GenerateAnswer, salvage: UsableTests },
        { ...options, spending },
      )
      const checked = checkTests(answer, { ...options, facts, targets, count, redact, durationMs: spending.durationMs })
      return { ...checked, warnings: [...warnings, ...(checked.warnings ?? [])] }
    },

    async analyze(request, options) {
      const { asking } = compose(prompts.analyze, [requestSection(request)], {})
      const answer = await asker.ask({ ...asking, schema: AnalyzeAnswer }, options)
      return {
        summary: oneLine(redact(answer.summary), 2_000),
        recommendations: answer.recommendations.slice(0, maxAdvice).map((text) => oneLine(redact(text), 1_000)),
      }
    },
  }
}

/** Returns the requested target, or else the best candidates except those to avoid. */
function targetsOf(facts: Facts, count: number, { target, avoid, testType }: GenerateOptions): AiTarget[] {
  if (target) return [completeTarget(facts, target)]
  const wanted = facts.candidates.filter(
    ({ path, symbol }) => !isAvoided(avoid, { path, symbol, testType: testType ?? 'unit' }),
  )
  return wanted.slice(0, count).map(targetOf)
}

function place(
  target: AiTarget,
  facts: Facts,
  { framework: wanted, testType = 'unit', sources }: GenerateOptions,
): PlacedTarget {
  const { path, symbol } = target
  const candidate = findCandidate(facts, path, symbol)
  const language = languageOf(path, candidate?.language) ?? 'other'
  const nearestTests = candidate?.nearestTests ?? []
  const taken = knownPaths(facts, sources)
  const { framework, path: usual } = testHomeFor(
    { path, language: linguistNameOf(language), testType, nearestTests, wanted },
    testedProject(facts, (file) => taken.has(file)),
  )
  // In Rust a unit test is part of its source file, which a generated test must not replace.
  const own = usual === path ? `tests/${symbol?.toLowerCase().replace(/\W+/g, '_') ?? 'generated'}_test.rs` : usual
  return { target, framework, candidate, testPath: freePathFor(symbol, own, (path) => taken.has(path)) ?? own }
}

function frameworksOf(
  facts: Facts,
  subjects: readonly { path: string; language?: string | undefined }[],
  wanted: string | undefined,
): string[] {
  const languages = new Set(subjects.slice(0, 200).map(({ path, language }) => languageOf(path, language) ?? 'other'))
  const planned = facts.testing.map(({ framework }) => ({ name: framework, confidence: 1 }))
  const named = [...planned, ...facts.testFrameworks]
  const chosen = [...languages].slice(0, 4).map((language) => chooseFramework(language, named, { wanted }).framework)
  const browser = browserFramework(named, wanted)
  return [...new Set<string>(browser ? [...chosen, browser] : chosen)]
}

/** Accepts any JSON, for callers that do not send an analysis. */
const givenSection = (codeAnalysis: Record<string, unknown>): Section => ({
  name: 'analysis',
  title: 'What is known about the code:',
  share: 0.5,
  entries: [JSON.stringify(codeAnalysis, null, 1)],
})

/** Removes a user and a password from an address. */
const withoutCredentials = (url: string) => oneLine(url.replace(/\/\/[^/@]*@/, '//'), 300)

const requestSection = ({ repository_url, language, framework, branch }: AnalyzeRequest): Section => ({
  name: 'repository',
  title: 'The repository:',
  share: 1,
  entries: [
    `address: ${withoutCredentials(repository_url)}`,
    `language: ${language ?? 'unknown'}`,
    `framework: ${framework ?? 'unknown'}`,
    `branch: ${branch ?? 'unknown'}`,
  ],
})
