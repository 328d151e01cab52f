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
  /** Files of which nobody sees all that they depend on: they start programs or threads, or are tests that read texts. */
  unseen: ReadonlySet<string>
  /** Whether what supports tests starts programs, or may do so. */
  supportIsUnseen: boolean
}

/** All of them are in memory together. */
const maxFiles = 3_000
const atOnce = 4
const script = /\.[cm]?[jt]sx?$/
const listing =
  /\b(?:readdir|opendir|listdir|scandir|iterdir|ReadDir|WalkDir)|\b(?:r?glob(?:Sync|by)?|fast-?glob)\b|\bos\.walk\b|import\.meta\.glob|require\.context/
const starting =
  /subprocess|\b(?:child_process|worker_threads|execa|tinyexec|cross-spawn|multiprocessing|ProcessPoolExecutor|pexpect)\b|\bnew Worker\(|['"](?:node:)?cluster['"]|\b(?:Deno\.Command|Bun\.spawn)\b|\bos\.(?:system|popen|exec|spawn|fork|posix_spawn)/
/** Texts of files and of functions. */
const reading =
  /\breadFile|\bcreateReadStream\b|\bopen\(|\bread_text\b|\binspect\.|\bString\(\w+\)|\bFunction\.prototype\b/
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
  const paths = tree.paths.filter((path) => ['test', 'test_support'].includes(kindOfFile(path)))
  const unseen = new Set<string>()
  const found: TestSources = {
    dependent: [],
    listFiles: false,
    readDocuments: false,
    unseen,
    supportIsUnseen: paths.length > maxFiles,
  }
  for (const [path, source] of code) {
    found.listFiles ||= listing.test(source)
    if (starting.test(source)) unseen.add(path)
  }
  const inSlot = limitConcurrency(atOnce)
  await allSettled(
    paths.slice(0, maxFiles).map((path) =>
      inSlot(async () => {
        const source = await tree.read(path)
        if (source == null) return
        found.listFiles ||= listing.test(source)
        found.readDocuments ||= document.test(source)
        if (starting.test(source) || reading.test(source)) {
          unseen.add(path)
          found.supportIsUnseen ||= starting.test(source) && kindOfFile(path) === 'test_support'
        }
        const isDependent = script.test(path) && (await haveDependentTests(runner, path, source))
        if (isDependent) found.dependent.push(path)
      }),
    ),
  )
  return found
}
