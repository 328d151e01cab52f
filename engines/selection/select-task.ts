import { join } from 'node:path'
import { cacheKey, fileCache } from '../analysis/cache.ts'
import type { TreeEntry } from '../source/types.ts'
import { reachFromBytes } from './reach-record.ts'
import { readState } from './read-state.ts'
import type { SelectWork } from './select-apart.ts'
import { selectTests } from './select-tests.ts'
import { textCache } from './text-cache.ts'

/** Contents that are in memory at a time. */
const batchSize = 200

/** The task of `selectApart`. Asks for the contents of files. */
const work: SelectWork = async ({ directory, settings, parts, reach, ...input }, { shared: entries, ask, step }) => {
  const facts = directory === null ? undefined : fileCache(join(directory, 'facts'))
  const kept = directory === null ? undefined : textCache(join(directory, 'texts'))
  const [records, known] = await Promise.all([facts?.load(), kept?.load()])
  const before = records?.size ?? 0
  const all = new Map(records)
  const positions = new Map(entries.map((entry, position) => [entry, position]))
  const state = await readState(
    {
      entries: [...entries],
      async *read(wanted: readonly TreeEntry[]) {
        for (let at = 0; at < wanted.length; at += batchSize) {
          const batch = wanted.slice(at, at + batchSize)
          const contents = await ask(batch.map((entry) => positions.get(entry) ?? -1))
          for (const [index, entry] of batch.entries()) {
            const content = contents[index]
            yield { entry, content: content ? Buffer.from(content) : null }
          }
        }
      },
    },
    {
      records: all,
      known: new Map(known),
      settings,
      parts,
      signal: new AbortController().signal,
      onParse: step,
    },
  )
  await kept?.save(state.texts, entries)
  if (all.size - before > before / 20) {
    const present = new Set(entries.map(({ path, blobId }) => cacheKey(blobId, path)))
    await facts?.save(new Map([...all].filter(([key]) => present.has(key) && !key.startsWith('0000000'))))
  }
  const seen = reach && reachFromBytes(reach.record)
  return selectTests({
    ...input,
    ...state,
    reach: seen && { commitSha: reach.commitSha, changes: reach.changes, ...seen },
  })
}

export default work
