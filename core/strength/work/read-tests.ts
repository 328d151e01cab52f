import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import { haveDependentTests } from '../../../engines/strength/dependent-tests.ts'
import { kindOfFile } from '../../../engines/verdicts/change/changed-files.ts'
import { allSettled } from '../../base/all-settled.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import type { OpenedSource } from '../../workspaces/source.ts'

/** What the sources of the tests tell about them. */
export interface TestSources {
  /** The test files whose tests depend on each other. */
  dependent: string[]
  /** Whether tests or code list the files of folders, so that a new file can change what they do. */
  listFiles: boolean
  /** Whether tests read documents. */
  readDocuments: boolean
}

/** All of them are in memory together. */
const maxFiles = 3_000
const atOnce = 4
const script = /\.[cm]?[jt]sx?$/
const listing =
  /\b(?:readdir|opendir|listdir|scandir|iterdir|ReadDir|WalkDir)|\b(?:r?glob(?:Sync|by)?|fast-?glob)\b|\bos\.walk\b|import\.meta\.glob|require\.context/
const document = /\.(?:md|markdown|rst|adoc)\b/i

/**
 * Reads the tests of a commit.
 *
 * @param code - the sources with mutants, by path
 */
export async function readTests(
  { tree }: Pick<OpenedSource, 'tree'>,
  runner: TaskRunner,
  code: ReadonlyMap<string, string>,
): Promise<TestSources> {
  const found: TestSources = { dependent: [], listFiles: false, readDocuments: false }
  for (const source of code.values()) found.listFiles ||= listing.test(source)
  const inSlot = limitConcurrency(atOnce)
  const paths = tree.paths.filter((path) => ['test', 'test_support'].includes(kindOfFile(path))).slice(0, maxFiles)
  await allSettled(
    paths.map((path) =>
      inSlot(async () => {
        const source = await tree.read(path)
        if (source == null) return
        found.listFiles ||= listing.test(source)
        found.readDocuments ||= document.test(source)
        const isDependent = script.test(path) && (await haveDependentTests(runner, path, source))
        if (isDependent) found.dependent.push(path)
      }),
    ),
  )
  return found
}
