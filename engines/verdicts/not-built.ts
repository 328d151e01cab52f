import type { FailedTest } from './schema.ts'
import type { Facts, Judgement, RunFacts } from './facts.ts'
import { listed, quotedLine, sentence } from './sentences.ts'

/** The messages of runners that find no tests. */
const looksElsewhere =
  /No test files? found|No tests found|no tests ran|No tests? (?:were )?(?:found|executed)|collected 0 items|0 tests? collected|no packages to test|No such test|Could not find any test/i

/** Whether the run reached a limit of the sandbox. A time limit counts as a test that never ends. */
export const hitsLimit = ({ problem }: Pick<RunFacts, 'problem'>): boolean =>
  /^(?:memory|process|output|disk)_limit$/.test(problem?.code ?? '')

/** Explains from the first run why a test could not run, or failed before its first assertion. */
export function whyNotBuilt(
  facts: Pick<Facts, 'path' | 'testFoldersHint' | 'framework'>,
  { problem, words, run, unexplained }: RunFacts,
  failures: readonly FailedTest[],
): Judgement {
  const [failure] = failures
  const runner = facts.framework === null ? 'The command' : `The runner (${facts.framework})`
  const built = (reason: string, ...sentences: (string | null)[]): Judgement => ({
    verdict: 'not_built',
    reason,
    summary: sentences.filter((sentence) => sentence).join(' '),
  })
  if (failure?.kind === 'crash_in_test') {
    const place = failure.file === null ? '' : ` at ${failure.file}:${failure.line}`
    return built(
      'test_throws',
      `The test itself throws${place}, before it asserts anything: ${quotedLine(failure.message ?? '')}`,
      failures.length > 1
        ? `${listed(failures.slice(1).map(({ test }) => test))} also ${failures.length > 2 ? 'throw' : 'throws'}.`
        : null,
      'Fix the calls, arguments and setup of the test.',
    )
  }
  if (failure !== undefined) {
    const said = quotedLine(tellingWords(failure.message, words, unexplained.includes(failure.test)))
    return built('cannot_be_loaded', `${runner} cannot load the test: ${said}`, 'Fix the imports, types and syntax.')
  }
  if (problem && hitsLimit({ problem })) return built(problem.code, problem.message, 'Make the test use less.')
  if (problem?.code === 'command_failed') {
    return built(
      'fails_after_tests',
      'The tests pass, but the process fails because of an error outside of the tests, such as an unhandled rejection.',
      `The output says: ${sentence(quotedWords(words))}`,
    )
  }
  if (looksElsewhere.test(words) || (problem?.code === 'no_tests' && run.failures.length === 0)) {
    return built(
      'not_collected',
      `${runner} reported no test of ${facts.path}. It does not search that path, or the file contains no test.`,
      facts.testFoldersHint,
      'Put the file into a folder with other tests, name it like them, and define at least one test.',
    )
  }
  if (problem)
    return built('cannot_be_loaded', `${runner} reported no result: ${sentence(quotedWords(words) || problem.message)}`)
  return built(
    'no_tests',
    `${runner} ran and reported no test of ${facts.path}.`,
    'Define at least one test in the form that the runner expects.',
    facts.testFoldersHint,
  )
}

/** Returns the message, or the likely reason from the output if the runner's message does not give one. */
function tellingWords(message: string | null, words: string, isUnexplained: boolean): string {
  // Go prints the name of the package above the errors of the compiler.
  const first = message?.split('\n').find((line) => /\w/.test(line) && !/^●|^File "|^# /.test(line.trim())) ?? ''
  // node:test, unittest and pytest
  const isEmpty = isUnexplained || /test failed|Failed to import test module|failed on setup with "file/.test(first)
  return first === '' || isEmpty ? quotedWords(words) || first : first
}

/** Returns the line of the output that most likely gives the reason. */
function quotedWords(words: string): string {
  const lines = words.split('\n').map((line) => line.trim())
  const telling = lines.find((line) =>
    /^(?=(.*?(?:Error(?!: Failed to import test)|Exception)\b))\1.*:|^(?=(.*?fixture '))\2.*' not found|\.go:\d+:\d+: |error TS\d+|^error\b/i.test(
      line,
    ),
  )
  return (telling ?? lines.at(-1) ?? '').slice(0, 400)
}
