import type { CoreClient } from '../client/core-client.ts'
import type { TestSummary } from '../core/tests/schema.ts'
import { notFound, wrongUsage } from './failure.ts'
import { testNameOf } from './health-words.ts'
import { shown } from './project.ts'

export const testWords = 'id of a test from `assay tests`, or a part of its name or file'

const isTestId = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const maxTests = 100

export type Found = { testId: string } | { several: TestSummary[] }

/**
 * Finds the test that a text means: the one with this id or exactly this name, else the only one whose name or file
 * contains the text. Returns all of these if there are several, each once, whatever its variants.
 *
 * @throws CommandError if there is none
 */
export async function findTest(core: CoreClient, projectId: string, wanted: string): Promise<Found> {
  if (isTestId(wanted)) return { testId: wanted.toLowerCase() }
  const { tests } = await core.tests.list.query({ projectId, search: wanted.slice(0, 200), limit: maxTests })
  const several = [...new Map(tests.map((test) => [test.testId, test])).values()]
  const named = several.filter(({ suite, name }) => name === wanted || testNameOf({ suite, name }) === wanted)
  const [test] = named.length === 1 ? named : several
  if (!test) {
    throw notFound(
      `No test of this project matches ${shown(wanted)}. \`assay tests --all\` lists its tests. Assay judges a new test within seconds after its run has ended.`,
    )
  }
  return named.length === 1 || several.length === 1 ? { testId: test.testId } : { several }
}

export const severalMatch = (wanted: string, { length }: readonly TestSummary[]) =>
  `${length === maxTests ? `${length} or more` : length} tests match ${shown(wanted)}.`

/** Returns the id of the test that a text means. @throws CommandError that lists the tests if there are several */
export async function findTestId(core: CoreClient, projectId: string, wanted: string): Promise<string> {
  const found = await findTest(core, projectId, wanted)
  if ('testId' in found) return found.testId
  const { several } = found
  const listed = several
    .slice(0, 5)
    .map(({ testId, suite, name }) => `${testId} (${shown(testNameOf({ suite, name }))})`)
  const more = several.length > 5 ? ` and ${several.length - 5} more` : ''
  throw wrongUsage(`${severalMatch(wanted, several)} Use one of these ids: ${listed.join(', ')}${more}.`)
}
