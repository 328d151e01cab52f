import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { z } from 'zod'
import type { MeasuredReach } from './types.ts'

export type SeenReach = Pick<MeasuredReach, 'watched' | 'tests'>

const position = z.int().nonnegative()
const line = z.int().positive()

/** Files and functions are positions: the same ones are in the reach of most tests. */
const Record = z.object({
  watched: z.array(z.tuple([z.string(), z.array(z.tuple([line, line]))])),
  tests: z.array(
    z.object({
      file: z.string(),
      isComplete: z.boolean(),
      files: z.array(z.tuple([position, z.array(position).nullable()])),
    }),
  ),
})

const maxBytes = 64 * 2 ** 20

/** Returns what tests were seen to run as bytes, or null if it is too much to keep. */
export async function reachToBytes({ watched, tests }: SeenReach): Promise<Buffer | null> {
  const paths = new Map([...watched.keys()].map((path, index) => [path, index]))
  const record: z.infer<typeof Record> = {
    watched: [...watched].map(([path, ranges]) => [path, ranges.map(([first, last]) => [first, last])]),
    tests: tests.map(({ file, isComplete, files }) => ({
      file,
      isComplete,
      files: [...files].flatMap(([path, called]) => {
        const at = paths.get(path)
        if (at === undefined) return []
        const functions = new Map((watched.get(path) ?? []).map(([first], index) => [first, index]))
        return [[at, called && called.flatMap(([first]) => functions.get(first) ?? [])] as const]
      }),
    })),
  }
  const text = JSON.stringify(record)
  return text.length > maxBytes ? null : promisify(gzip)(text, { level: 1 })
}

/** Returns undefined for what another version wrote. */
export function reachFromBytes(bytes: Uint8Array): SeenReach | undefined {
  const text = gunzipSync(bytes, { maxOutputLength: 2 * maxBytes }).toString()
  const { data } = Record.safeParse(JSON.parse(text))
  if (!data) return undefined
  const { watched, tests } = data
  return {
    watched: new Map(watched),
    tests: tests.map(({ file, isComplete, files }) => ({
      file,
      isComplete,
      files: new Map(
        files.flatMap(([at, called]) => {
          const [path, functions = []] = watched[at] ?? []
          if (path === undefined) return []
          return [[path, called && called.flatMap((index) => [functions[index] ?? [1, 1]] as const)] as const]
        }),
      ),
    })),
  }
}
