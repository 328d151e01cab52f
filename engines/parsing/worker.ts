import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { Described, SymbolPlace } from './description/types.ts'
import type { Dialect } from './dialects.ts'
import { type Answer, type FromWorker, type ParseOptions, scoreboardFd, type ToWorker } from './messages.ts'
import { parseFile, warmUp } from './parse-file.ts'

/**
 * The process that parses. It may be taken down by what it parses, and by its parent when it takes too long; it
 * holds nothing that would be missed.
 */
const [, , timeoutMs, checkNesting] = process.argv
const options: ParseOptions = { timeoutMs: Number(timeoutMs), checkNesting: checkNesting !== 'false' }
const counter = new Uint32Array(1)
const warmed = new Set<Dialect>()
let queue: Promise<void> = Promise.resolve()

process.on('disconnect', () => process.exit())
process.on('message', (message: ToWorker) => {
  queue = queue.then(() => ('warm' in message ? warm(message.warm) : answer(message.batch)))
})

async function answer({
  dialects,
  places,
  lengths,
  content,
}: Extract<ToWorker, { batch: unknown }>['batch']): Promise<void> {
  await warm(dialects)
  const results: Answer[] = []
  let start = 0
  for (const [index, dialect] of dialects.entries()) {
    const end = start + (lengths[index] ?? 0)
    counter[0] = (counter[0] ?? 0) + 1
    writeSync(scoreboardFd, counter, 0, counter.byteLength, 0)
    const file = content.subarray(start, end)
    const wanted = places[index]
    results.push(wanted ? await describe(file, dialect, wanted) : await parseFile(file, dialect, options))
    start = end
  }
  const reply: FromWorker = { results: JSON.stringify(results) }
  process.send?.(reply)
  keepCompiledCode()
}

let hasDescribed = false

/** Loads its code when it is first needed, because the parsing of facts should not wait for it. */
async function describe(content: Uint8Array, dialect: Dialect, places: readonly SymbolPlace[]): Promise<Described> {
  const { describeFile } = await import('./description/describe-file.ts')
  if (!hasDescribed) kept = false
  hasDescribed = true
  return await describeFile(content, dialect, places, options)
}

let kept = false

/** Node keeps what it compiled when a process ends by itself, which this one never does. */
function keepCompiledCode(): void {
  if (kept) return
  kept = true
  flushCompileCache()
}

async function warm(dialects: readonly Dialect[]): Promise<void> {
  for (const dialect of dialects) {
    if (warmed.has(dialect)) continue
    warmed.add(dialect)
    await warmUp(dialect)
  }
}
