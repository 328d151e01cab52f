import {
  type TestFramework,
  testFrameworks,
  type TestFrameworkName,
} from '../../engines/analysis/frameworks/test-frameworks.ts'
import { shown } from '../base/repository-path.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { invalid } from '../base/errors.ts'

const reduce = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Frameworks that run tests. Libraries only help inside a test. */
const written = (Object.entries(testFrameworks) as [TestFrameworkName, TestFramework][]).filter(
  ([, { role }]) => role !== 'library',
)
const named = new Map<string, TestFrameworkName>([
  ['node', 'node:test'],
  ['bun', 'bun:test'],
  ['deno', 'deno test'],
  ['go', 'go test'],
  ['cargo', 'cargo test'],
  ['junit5', 'junit'],
  ['junitjupiter', 'junit'],
  ['playwrighttest', 'playwright'],
  ['pestphp', 'pest'],
  ...written.flatMap(([name, { label }]) => [[reduce(name), name] as const, [reduce(label), name] as const]),
])

/**
 * Returns the canonical name of a framework.
 *
 * @throws AppError 400 with the list of frameworks for this file
 */
export function acceptFramework(given: string, path: string, { files, summary }: AnalysisResult): string {
  const name = named.get(reduce(given))
  const language = files.find((file) => file.path === path)?.language ?? 'Unknown'
  const ofLanguage = written.flatMap(([name, { languages }]) => (languages.includes(language) ? [name] : []))
  // A language such as Vue has no test frameworks.
  const fitting = ofLanguage.length > 0 ? ofLanguage : written.map(([name]) => name)
  if (name !== undefined && fitting.includes(name)) return name
  const found = summary.testFrameworks
    .map((framework) => (typeof framework === 'string' ? framework : framework.name))
    .filter((name) => fitting.some((known) => known === name))
  throw invalid(
    [
      `framework: ${JSON.stringify(shown(given, 100))} cannot test ${JSON.stringify(shown(path))}.`,
      `Known for ${ofLanguage.length > 0 ? language : 'all languages'}: ${fitting.join(', ')}.`,
      ...(found.length > 0 ? [`The project uses ${found.join(', ')}.`] : []),
      'Omit it to let Assay choose.',
    ].join(' '),
  )
}

/** Whether free text, such as a model's answer, names this framework. */
export function isFramework(text: string, name: string): boolean {
  const known = named.get(reduce(text))
  return known === undefined ? reduce(text).includes(reduce(name)) : known === name
}
