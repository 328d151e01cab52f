import type { AnalyzeRequest, CodebaseAdvice } from '../../schema.ts'
import { chooseFramework } from '../../repository/frameworks.ts'
import { languageNamed } from '../../repository/languages.ts'
import { marked } from './marker.ts'
import { oneLine } from '../../repository/safe-text.ts'

const beginnings: Partial<Record<string, string>> = {
  typescript: 'Start with exported functions that branch often and are imported by many files.',
  javascript: 'Start with exported functions that branch often and are imported by many files.',
  go: 'Start with exported functions that return errors, as table-driven tests in the same package.',
  rust: 'Start with public functions that return Result, in a test module of the same file.',
}

/** Gives general advice about a repository that was not read, and names the route to use instead. */
export function advise(request: AnalyzeRequest): CodebaseAdvice {
  const language = languageNamed(request.language ?? '')
  const name = oneLine(request.language ?? '', 100) || 'unknown language'
  const choice = language && chooseFramework(language, [], { wanted: request.framework ?? undefined })
  const tool =
    choice && choice.framework !== 'outline'
      ? `Write the tests in ${choice.framework}${choice.known ? '' : ', unless the project has another test framework'}.`
      : 'Write the tests in the test framework of the project.'
  return {
    summary: marked(
      `${withoutCredentials(request.repository_url)} (${name}) was not read: this route only knows its name.`,
    ),
    recommendations: [
      'Send an analysis to POST /suggest-tests: its suggestions name files, symbols and lines.',
      tool,
      beginnings[language ?? ''] ?? 'Start with public functions that branch often and are used by many files.',
      'Cover errors as well as successes, and cover routes with integration tests.',
    ].map(marked),
  }
}

/** Removes a user and a password from an address. */
const withoutCredentials = (url: string) => oneLine(url.replace(/\/\/[^/@]*@/, '//'), 300)
