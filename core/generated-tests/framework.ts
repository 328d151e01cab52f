import {
  type TestFramework,
  testFrameworks,
  type TestFrameworkName,
} from '../../engines/analysis/frameworks/test-frameworks.ts'
import { shown } from '../base/repository-path.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { invalid } from '../base/errors.ts'

const reduce = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** What tests can be written for: libraries only help inside them. */
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
 * The name under which Assay speaks of a framework.
 *
 * @throws AppError 400 that lists those that tests of this file can be written for
 */
export function acceptFramework(given: string, path: string, { files, summary }: AnalysisResult): string {
  const name = named.get(reduce(given))
  const language = files.find((file) => file.path === path)?.language ?? 'Unknown'
  const ofLanguage = written.flatMap(([name, { languages }]) => (languages.includes(language) ? [name] : []))
  // Of a file such as a Vue component the language alone does not tell.
  const fitting = ofLanguage.length > 0 ? ofLanguage : written.map(([name]) => name)
  if (name !== undefined && fitting.includes(name)) return name
  const found = summary.testFrameworks
    .map((framework) => (typeof framework === 'string' ? framework : framework.name))
    .filter((name) => fitting.some((known) => known === name))
  throw invalid(
    [
      `framework: tests of ${JSON.stringify(shown(path))} cannot be written for ${JSON.stringify(shown(given, 100))}.`,
      `Known for ${ofLanguage.length > 0 ? language : 'all languages'}: ${fitting.join(', ')}.`,
      ...(found.length > 0 ? [`The project has ${found.join(', ')}.`] : []),
      'Leave it out to have one chosen.',
    ].join(' '),
  )
}

/** Whether what somebody says of a test, in their own words, means this framework. */
export function isFramework(said: string, name: string): boolean {
  const known = named.get(reduce(said))
  return known === undefined ? reduce(said).includes(reduce(name)) : known === name
}
