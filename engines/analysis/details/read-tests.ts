import { posix } from 'node:path'
import type { Snapshot } from '../../source/types.ts'
import { testRole } from '../../test-names/roles.ts'
import { ancestors, directoryOf } from '../graph/paths.ts'
import type { TrackedFile } from '../read-files.ts'
import type { TestedFiles } from './tested-files.ts'
import { TestText, testTextOf, type Uses } from './test-text.ts'

const maxTests = 200
const maxBytes = 512 * 1_024

/** Reads tests, and makes the files of the repository available to briefs. */
export async function readTests(input: TestsInput, wanted: Iterable<string>): Promise<TestTexts> {
  const { files, manifests } = input
  const byPath = new Map(files.map((file) => [file.path, file]))
  const texts = new Map<string, TestText>()
  await readInto(texts, input, wanted)
  const textOf = (path: string) => texts.get(path) ?? unread
  // One analysis asks for the words of all tests again and again.
  const known = new Map<TestText, ReadonlyMap<string, Uses>>()
  const wordsOf = (text: TestText) => {
    const words = known.get(text) ?? text.words
    known.set(text, words)
    return words
  }
  const folders = new Set(files.map(({ path }) => directoryOf(path)))
  return {
    readMore: async (more) => await readInto(texts, input, more),
    has: (path) => byPath.has(path),
    isFolder: (path) => folders.has(path),
    isTest: (path) => {
      const file = byPath.get(path)
      return file !== undefined && (file.tags.includes('test') || testRole(path, file.language) !== undefined)
    },
    facts: (path) => byPath.get(path)?.record?.facts,
    text: (path) => texts.get(path)?.text,
    imports: (path) => textOf(path).imports,
    words: (path) => wordsOf(textOf(path)),
    manifestAround: (path, name) => {
      for (const folder of ancestors(directoryOf(path))) {
        const text = manifests.get(posix.join(folder, name))
        if (text !== undefined) return { folder, text }
      }
      return undefined
    },
  }
}

const unread = new TestText('')

export interface TestTexts extends TestedFiles {
  /** Reads further tests. */
  readMore(wanted: Iterable<string>): Promise<void>
}

async function readInto(
  texts: Map<string, TestText>,
  { snapshot, signal }: Pick<TestsInput, 'snapshot' | 'signal'>,
  wanted: Iterable<string>,
): Promise<void> {
  const tests = new Set([...new Set(wanted)].filter((path) => !texts.has(path)).slice(0, maxTests))
  if (tests.size === 0) return
  const entries = snapshot.entries.filter(
    ({ path, mode, size }) => tests.has(path) && mode.startsWith('100') && (size ?? Infinity) <= maxBytes,
  )
  for await (const { entry, content } of snapshot.read(entries, signal, { again: true })) {
    if (content) texts.set(entry.path, testTextOf(content))
  }
}

export interface TestsInput {
  snapshot: Snapshot
  files: readonly TrackedFile[]
  /** Text of manifests and configuration files, by path. */
  manifests: ReadonlyMap<string, string>
  signal: AbortSignal
}
