import { z } from 'zod'
import type { AnalyzedRepository } from '../../core/analysis/schema.ts'
import { findLanguage } from '../../engines/languages/catalogue.ts'
import { dialectOf } from '../../engines/parsing/dialects.ts'
import type { AnalyzedFile, DetectedFramework } from '../../engines/analysis/schema.ts'
import type { TestingPart } from '../../engines/test-plan/schema.ts'
import { howToMeasure } from './scope-arguments.ts'
import { maybe, untrusted } from './untrusted.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'
import { whereMeasured } from '../../client/coverage-words.ts'
import { joined } from './words.ts'

export const LanguageLabel = untrusted.line(60)
const Frameworks = z.array(LanguageLabel)

export const SummaryFact = z.object({
  totalFiles: z.int(),
  languages: z.record(LanguageLabel, z.int()),
  /** Present where most of the code is in a language that no parser reads. */
  notParsed: maybe(z.string()),
  frameworks: Frameworks,
  perhapsFrameworks: maybe(Frameworks),
  testFrameworks: Frameworks,
  perhapsTestFrameworks: maybe(Frameworks),
  /** The commands of a run, by part of the repository. */
  testCommands: maybe(z.array(untrusted.line(200))),
  hasTests: z.boolean(),
  package: maybe(untrusted.line(120)),
  candidateCount: z.int(),
  coverage: maybe(z.string()),
  warningCount: z.int(),
  firstWarnings: maybe(z.array(z.string())),
})
export type SummaryFact = z.infer<typeof SummaryFact>

const maxLanguages = 12
const maxWarnings = 3
const maxFrameworks = 20

export function summaryFacts(result: AnalyzedRepository): SummaryFact {
  const { summary, warnings = [] } = result
  const languages = Object.entries(summary.languages).toSorted((a, b) => b[1] - a[1])
  const rest = languages.slice(maxLanguages)
  const others = rest.reduce((sum, [, count]) => sum + count, 0)
  const { name, version, manager } = result.packageInfo
  const frameworks = bySureness(summary.frameworks)
  const testFrameworks = bySureness(summary.testFrameworks)
  return SummaryFact.parse({
    totalFiles: summary.totalFiles,
    languages: Object.fromEntries([
      ...languages.slice(0, maxLanguages),
      ...(others > 0 ? [[`${rest.length} others`, others] as const] : []),
    ]),
    notParsed: mostlyNotParsed(result.files),
    frameworks: frameworks.sure,
    perhapsFrameworks: frameworks.unsure,
    testFrameworks: testFrameworks.sure,
    perhapsTestFrameworks: testFrameworks.unsure,
    testCommands: summary.testing?.slice(0, maxParts).map(commandOf),
    hasTests: summary.hasTests,
    package: joined(' ', name && (version ? `${name}@${version}` : name), manager && `(${manager})`),
    coverage: whereMeasured(summary.coverage, result.measurement ? undefined : howToMeasure),
    candidateCount: summary.candidateCount ?? result.testCandidates?.length ?? 0,
    warningCount: warnings.length,
    firstWarnings: warnings.slice(0, maxWarnings).map(({ code, message, path }) => {
      const where = path === undefined ? '' : ` (${shorten(cleanName(path), 120)})`
      return `${code}: ${shorten(cleanLine(message), 160)}${where}`
    }),
  })
}

const maxParts = 5

const commandOf = ({ directory, framework, command }: TestingPart) =>
  `${framework}: ${command}${directory === '' ? '' : ` (in ${directory})`}`

/** Findings with less confidence are shown as a perhaps. */
const sureConfidence = 0.5

function bySureness(found: readonly (string | DetectedFramework)[]): { sure: string[]; unsure: string[] } {
  const all = found
    .slice(0, maxFrameworks)
    .map((framework) => (typeof framework === 'string' ? { name: framework, confidence: 1 } : framework))
  const names = (isSure: boolean) =>
    all.filter(({ confidence }) => confidence >= sureConfidence === isSure).map(({ name }) => name)
  return { sure: names(true), unsure: names(false) }
}

const isOwn = ({ tags = [] }: AnalyzedFile) =>
  !tags.some((tag) => tag === 'vendored' || tag === 'generated' || tag === 'documentation')

function mostlyNotParsed(files: readonly AnalyzedFile[]): string | undefined {
  const own = files.filter(isOwn)
  const counts = new Map<string, number>()
  for (const { language } of own) {
    // Linguist counts components as markup. Assay parses them as code.
    const known = findLanguage(language)
    if (known?.type !== 'programming' && dialectOf(language, '') === undefined) continue
    const group = known?.group ?? language
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const [language, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])
  if (count === 0 || dialectOf(language, '') !== undefined) return undefined
  const ofAll = `${count} of ${own.length} files of the project's own are ${LanguageLabel.parse(language)}`
  return `${ofAll}, which is not parsed: no candidates come from them.`
}
