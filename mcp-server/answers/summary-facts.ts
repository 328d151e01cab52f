import { z } from 'zod'
import { findLanguage } from '../../engines/languages/catalogue.ts'
import { dialectOf } from '../../engines/parsing/dialects.ts'
import type { AnalysisResult, AnalyzedFile, DetectedFramework } from '../../engines/analysis/schema.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'

export const SummaryFact = z.object({
  totalFiles: z.int(),
  languages: z.record(z.string(), z.int()),
  /** Said where most of the code is in a language that no parser reads. */
  notParsed: z.string().optional(),
  frameworks: z.array(z.string()),
  perhapsFrameworks: z.array(z.string()).optional(),
  testFrameworks: z.array(z.string()),
  perhapsTestFrameworks: z.array(z.string()).optional(),
  hasTests: z.boolean(),
  package: z.string().optional(),
  candidateCount: z.int(),
  warningCount: z.int(),
  firstWarnings: z.array(z.string()).optional(),
})
export type SummaryFact = z.infer<typeof SummaryFact>

const mostLanguages = 12
const mostWarnings = 3

export function summaryFacts(result: AnalysisResult): SummaryFact {
  const { summary, warnings = [] } = result
  const languages = Object.entries(summary.languages).toSorted((a, b) => b[1] - a[1])
  const rest = languages.slice(mostLanguages)
  const others = rest.reduce((sum, [, count]) => sum + count, 0)
  const { name, version, manager } = result.packageInfo
  const packageWords = [name && (version ? `${name}@${version}` : name), manager && `(${manager})`].filter(Boolean)
  const notParsed = mostlyNotParsed(result.files)
  const frameworks = bySureness(summary.frameworks)
  const testFrameworks = bySureness(summary.testFrameworks)
  return {
    totalFiles: summary.totalFiles,
    languages: Object.fromEntries([
      ...languages.slice(0, mostLanguages).map(([language, count]) => [languageLabel(language), count] as const),
      ...(others > 0 ? [[`${rest.length} others`, others] as const] : []),
    ]),
    ...(notParsed ? { notParsed } : {}),
    frameworks: frameworks.sure,
    ...(frameworks.unsure.length > 0 ? { perhapsFrameworks: frameworks.unsure } : {}),
    testFrameworks: testFrameworks.sure,
    ...(testFrameworks.unsure.length > 0 ? { perhapsTestFrameworks: testFrameworks.unsure } : {}),
    hasTests: summary.hasTests,
    ...(packageWords.length > 0 ? { package: shorten(cleanLine(packageWords.join(' ')), 120) } : {}),
    candidateCount: summary.candidateCount ?? result.testCandidates?.length ?? 0,
    warningCount: warnings.length,
    ...(warnings.length > 0
      ? {
          firstWarnings: warnings.slice(0, mostWarnings).map(({ code, message, path }) => {
            const where = path === undefined ? '' : ` (${shorten(cleanName(path), 120)})`
            return `${code}: ${shorten(cleanLine(message), 160)}${where}`
          }),
        }
      : {}),
  }
}

export const languageLabel = (value: string) => shorten(cleanLine(value), 60)

/** Weaker findings than this are guesses, and told as such. */
const sureConfidence = 0.5

function bySureness(found: readonly (string | DetectedFramework)[]): { sure: string[]; unsure: string[] } {
  const sure: string[] = []
  const unsure: string[] = []
  for (const framework of found.slice(0, 20)) {
    if (typeof framework === 'string') sure.push(languageLabel(framework))
    else (framework.confidence >= sureConfidence ? sure : unsure).push(languageLabel(framework.name))
  }
  return { sure, unsure }
}

const isOwn = ({ tags = [] }: AnalyzedFile) =>
  !tags.some((tag) => tag === 'vendored' || tag === 'generated' || tag === 'documentation')

function mostlyNotParsed(files: readonly AnalyzedFile[]): string | undefined {
  const own = files.filter(isOwn)
  const counts = new Map<string, number>()
  for (const { language } of own) {
    // Components are markup to linguist, and code to us.
    const known = findLanguage(language)
    if (known?.type !== 'programming' && dialectOf(language, '') === undefined) continue
    const group = known?.group ?? language
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const [language, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])
  if (count === 0 || dialectOf(language, '') !== undefined) return undefined
  const ofAll = `${count} of ${own.length} files of the project's own are ${languageLabel(language)}`
  return `${ofAll}, which is not parsed: no candidates come from them.`
}
