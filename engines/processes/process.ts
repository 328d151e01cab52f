import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import { bundleOfUrl } from './bundle-of.ts'
import type { FromProcess, RunMessage, TaskContext, TaskWork, ToProcess } from './tasks.ts'

/**
 * The process that `engine-process.ts` starts. It may be taken down by what it reads, and works on one task at a time, so
 * that a hang or a crash belongs to one input.
 */
const [, , parentPid, maxMemoryBytes] = process.argv
let shared: unknown
let asked = 0
let isCodeKept = false
const waiting = new Map<number, PromiseWithResolvers<unknown>>()

process.on('disconnect', () => process.exit())
process.on('message', (message: ToProcess) => {
  if ('run' in message) void run(message.run)
  else if ('load' in message) void load(message.load).catch(() => undefined)
  else if ('answered' in message) settle(message.answered)?.resolve(message.answer)
  else settle(message.refused)?.reject(new Error('The caller no longer answers.'))
})

send({ ready: true })

async function run(message: RunMessage): Promise<void> {
  if (message.shared) shared = message.shared.value
  const context: TaskContext<unknown, unknown, unknown> = {
    shared,
    ask: (question) => {
      const answer = Promise.withResolvers<unknown>()
      waiting.set(++asked, answer)
      send({ asked, question })
      return answer.promise
    },
    step: (label) => send({ step: label }),
  }
  send(await resultOf(message, context))
  if (isCodeKept) return
  // Node keeps compiled code only when a process ends by itself, which this one rarely does.
  isCodeKept = true
  flushCompileCache()
}

let isWatched = false

/** Loads a task, and before its work starts a thread, which sees the end of the parent also while a task hangs. */
async function load(url: string): Promise<unknown> {
  const loaded: unknown = await import(bundleOfUrl(url))
  if (isWatched) return loaded
  isWatched = true
  new Worker(new URL('watchdog.mjs', import.meta.url), {
    workerData: { parentPid: Number(parentPid), maxMemoryBytes: Number(maxMemoryBytes) },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  }).unref()
  return loaded
}

async function resultOf({ url, input }: RunMessage, context: TaskContext<unknown, unknown, unknown>) {
  try {
    // The module is one of ours, and exports its work by contract.
    const { default: work } = (await load(url)) as { default: TaskWork<unknown, unknown, unknown, unknown, unknown> }
    return { finished: await work(input, context) }
  } catch (thrown) {
    const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { failed: { isOverflow: thrown instanceof RangeError, message, stack } }
  }
}

function settle(id: number): PromiseWithResolvers<unknown> | undefined {
  const answer = waiting.get(id)
  waiting.delete(id)
  return answer
}

function send(message: FromProcess): void {
  // A parent that has disconnected needs no message, and this process ends.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
