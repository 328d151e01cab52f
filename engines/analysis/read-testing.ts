import { posix } from 'node:path'
import { describeTesting } from '../test-plan/describe-testing.ts'
import { detectPlan } from '../test-plan/detect.ts'
import { PlanError, type PlanSettings, type SourceTree } from '../test-plan/plan.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import { RepositoryError, type Snapshot, type TreeEntry } from '../source/types.ts'

export const noPlanSettings: PlanSettings = {
  installCommand: null,
  testCommand: null,
  workingDirectory: null,
  reportGlobs: [],
  coverageGlobs: [],
}

const maxManifestBytes = 2 ** 20
const maxNamesakes = 50
const submodule = '160000'

/**
 * Returns how the parts of the repository are tested: what `detectPlan` would run. Empty where no plan can be made, because
 * an analysis is worth much without one.
 *
 * @param known - contents that were read already, by path
 */
export async function readTesting(
  snapshot: Pick<Snapshot, 'entries' | 'read'>,
  known: ReadonlyMap<string, Buffer>,
  settings: PlanSettings,
  signal: AbortSignal,
): Promise<TestingPart[]> {
  try {
    const { parts } = await detectPlan(treeOf(snapshot, known, signal), settings, 'ALL')
    return parts.map(describeTesting)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PlanError || (error instanceof RepositoryError && error.code !== 'cancelled')) return []
    throw error
  }
}

/** The files of a state as the plan sees them. Files that it reads are read together with others of the same name. */
export function treeOf(
  snapshot: Pick<Snapshot, 'entries' | 'read'>,
  known: ReadonlyMap<string, Buffer>,
  signal: AbortSignal,
): SourceTree {
  const entries = new Map(snapshot.entries.map((entry) => [entry.path, entry]))
  const canRead = ({ mode, size }: TreeEntry) => mode.startsWith('100') && (size ?? Infinity) <= maxManifestBytes
  const contents = new Map<string, Buffer | null>(known)
  // Each reading starts a process, and the packages of a monorepo have files of the same names.
  const namesakesOf = (path: string) =>
    snapshot.entries
      .filter((one) => one.path !== path && posix.basename(one.path) === posix.basename(path) && canRead(one))
      .slice(0, maxNamesakes)
  return {
    paths: snapshot.entries.filter(({ mode }) => mode !== submodule).map(({ path }) => path),
    async read(path) {
      signal.throwIfAborted()
      const entry = entries.get(path)
      if (!entry || !canRead(entry)) return null
      if (!contents.has(path)) {
        const batch = [entry, ...namesakesOf(path).filter((one) => !contents.has(one.path))]
        for (const one of batch) contents.set(one.path, null)
        for await (const read of snapshot.read(batch, signal, { again: true }))
          contents.set(read.entry.path, read.content)
      }
      return contents.get(path)?.toString('utf8') ?? null
    },
  }
}
