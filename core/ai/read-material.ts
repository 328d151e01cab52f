import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { defaultSourceLimits } from '../../engines/source/types.ts'
import type { TreeEntry } from '../../engines/source/types.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { storedSnapshot } from '../snapshots/stored-snapshot.ts'
import { cutSource, type LineRange } from './cut-source.ts'
import { withProjectCommit } from '../workspaces/project-commit.ts'
import type { AiSource } from './schema.ts'

/** A file to include, and its relevant lines. */
export interface FileWanted {
  path: string
  lines: LineRange[]
}

/** Best first: files that exceed the budget are dropped from the end. */
export interface MaterialWanted {
  sources: FileWanted[]
  examples: FileWanted[]
}

/** The source code that the AI service gets. */
export interface Material {
  sources: AiSource[]
  style_examples: AiSource[]
}

/** In bytes, for one file and for all files. */
interface Budget {
  ofFile: number
  inAll: number
}

export const sourceBudget: Budget = { ofFile: 65_536, inAll: 262_144 }
export const exampleBudget: Budget = { ofFile: 24_576, inAll: 65_536 }

const regularFile = /^100/
/** The AI service rejects longer paths. */
const maxPathLength = 1_024

/**
 * Reads files of the analyzed commit or snapshot from the project's clone. Missing, oversized and binary files are omitted.
 *
 * @param milliseconds - the timeout for locking the clone, and again for fetching the commit
 * @throws RepositoryError if the commit cannot be fetched; RunFailure if the snapshot was deleted
 */
export async function readMaterial(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  of: { commitSha: string; snapshotId: string | null },
  wanted: MaterialWanted,
  milliseconds: number,
): Promise<Material> {
  if (wanted.sources.length + wanted.examples.length === 0) return { sources: [], style_examples: [] }
  const snapshot = await storedSnapshot(ctx, project, of)
  const commit = {
    // The server of the repository is asked each time: who has lost access to it must not get its source.
    directory: cacheDirectory(ctx.config, project.id),
    ref: { commitSha: of.commitSha },
    ...(snapshot && { snapshot: snapshot.source }),
    limits: { ...defaultSourceLimits, historyCommits: 0, fetchTimeoutMs: milliseconds },
    paths: [...wanted.sources, ...wanted.examples]
      .map(({ path }) => path)
      .filter(({ length }) => length <= maxPathLength),
  }
  return withProjectCommit(ctx, project, commit, async (opened) => {
    const files = opened.entries.filter(({ mode }) => regularFile.test(mode))
    const byPath = new Map(files.map((entry) => [entry.path, entry]))
    const readAll = (files: readonly FileWanted[], budget: Budget) =>
      readWithin(
        budget,
        files.flatMap((file) => {
          const entry = byPath.get(file.path)
          return entry ? [{ ...file, entry }] : []
        }),
        (wanted) => opened.read(wanted, ctx.signal),
      )
    return {
      sources: await readAll(wanted.sources, sourceBudget),
      style_examples: await readAll(wanted.examples, exampleBudget),
    }
  })
}

async function readWithin(
  budget: Budget,
  files: readonly (FileWanted & { entry: TreeEntry })[],
  read: (entries: TreeEntry[]) => AsyncIterable<{ content: Buffer | null }>,
): Promise<AiSource[]> {
  const found: AiSource[] = []
  let left = budget.inAll
  let at = 0
  for await (const { content } of read(files.map(({ entry }) => entry))) {
    const file = files[at++]
    if (!file || content === null || content.includes(0)) continue
    const text = content.toString('utf8')
    for (const source of cutSource(file.path, text, file.lines, Math.min(budget.ofFile, left))) {
      found.push(source)
      left -= Buffer.byteLength(source.content)
    }
    // A smaller excerpt would not help a model.
    if (left < 1_024) break
  }
  return found
}
