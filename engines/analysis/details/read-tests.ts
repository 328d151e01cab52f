import { posix } from 'node:path'
import type { Snapshot } from '../../source/types.ts'
import { testRole } from '../../test-names/roles.ts'
import { ancestors, directoryOf } from '../graph/source-tree.ts'
import type { TrackedFile } from '../read-files.ts'
import { type ScriptImport, scriptImports } from './imports/script-imports.ts'
import type { TestedFiles } from './tested-files.ts'

const maxTests = 200
const maxBytes = 512 * 1_024

/** Reads the tests that briefs follow in style, and makes the files available to them. */
export async function readTests(
  { snapshot, files, manifests, signal }: TestsInput,
  wanted: Iterable<string>,
): Promise<TestedFiles> {
  const tests = new Set([...new Set(wanted)].slice(0, maxTests))
  const byPath = new Map(files.map((file) => [file.path, file]))
  const entries = snapshot.entries.filter(
    ({ path, mode, size }) => tests.has(path) && mode.startsWith('100') && (size ?? Infinity) <= maxBytes,
  )
  const texts = new Map<string, string>()
  for await (const { entry, content } of snapshot.read(entries, signal)) {
    if (content) texts.set(entry.path, content.toString('utf8'))
  }
  const imports = new Map<string, readonly ScriptImport[]>()
  const folders = new Set(files.map(({ path }) => directoryOf(path)))
  return {
    has: (path) => byPath.has(path),
    isFolder: (path) => folders.has(path),
    isTest: (path) => {
      const file = byPath.get(path)
      return file !== undefined && (file.tags.includes('test') || testRole(path, file.language) !== undefined)
    },
    facts: (path) => byPath.get(path)?.record?.facts,
    text: (path) => texts.get(path),
    imports: (path) => {
      const known = imports.get(path)
      if (known) return known
      const found = scriptImports(texts.get(path) ?? '')
      imports.set(path, found)
      return found
    },
    manifestAround: (path, name) => {
      for (const folder of ancestors(directoryOf(path))) {
        const text = manifests.get(posix.join(folder, name))
        if (text !== undefined) return { folder, text }
      }
      return undefined
    },
  }
}

export interface TestsInput {
  snapshot: Snapshot
  files: readonly TrackedFile[]
  /** Text of manifests and configuration files, by path. */
  manifests: ReadonlyMap<string, string>
  signal: AbortSignal
}
