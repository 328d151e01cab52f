import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import { cacheKey, fileCache } from '../analysis/cache.ts'
import type { TreeEntry } from '../source/types.ts'
import { reachFromBytes } from './reach-record.ts'
import { readState, type SelectableState } from './read-state.ts'
import type { SelectWork, StateApartInput } from './select-apart.ts'
import { selectTests } from './select-tests.ts'
import { textCache } from './text-cache.ts'

type Asking = Pick<Parameters<SelectWork>[1], 'shared' | 'ask' | 'step'>

/** Contents that are in memory at a time. Each is at most 1 MiB long. */
const maxBatch = { files: 2_000, bytes: 16 * 2 ** 20 }

/** The state of the last task, as long as the process holds its entries. */
const read = new WeakMap<readonly TreeEntry[], { input: StateApartInput; state: SelectableState }>()

/** The task of `selectApart` and `prepareApart`. Asks for the contents of files. */
const work: SelectWork = async ({ state: input, change }, context) => {
  const kept = read.get(context.shared)
  const state = kept && isDeepStrictEqual(kept.input, input) ? kept.state : await stateOf(input, context)
  read.set(context.shared, { input, state })
  if (change === null) return null
  const { reach } = change
  const seen = reach && reachFromBytes(reach.record)
  return selectTests({
    ...change,
    ...state,
    reach: seen && { commitSha: reach.commitSha, changes: reach.changes, ...seen },
  })
}

async function stateOf(
  { directory, settings, parts }: StateApartInput,
  { shared: entries, ask, step }: Asking,
): Promise<SelectableState> {
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
        for (const batch of batches(wanted)) {
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
  return state
}

function* batches(entries: readonly TreeEntry[]): Iterable<TreeEntry[]> {
  let batch: TreeEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    if (batch.length >= maxBatch.files || bytes >= maxBatch.bytes) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += entry.size ?? 0
  }
  if (batch.length > 0) yield batch
}

export default work
