import { batchSender } from '../batches.ts'
import type { TaskWork } from '../tasks.ts'

export type Probe =
  | { do: 'echo'; value: unknown }
  | { do: 'loop' }
  | { do: 'wait' }
  | { do: 'fill the heap' }
  | { do: 'fill buffers' }
  | { do: 'nest' }
  | { do: 'throw' }
  | { do: 'ask'; questions: string[] }
  | { do: 'batches'; count: number; thenLoop?: boolean }
  | { do: 'steps'; milliseconds: number[] }
  | { do: 'environment' }
  | { do: 'shared' }

export type ProbeWork = TaskWork<Probe, unknown, string, string, object | undefined>

const seen = new WeakMap<object, number>()

/** A task for tests: does what a hostile input may make a parser do. */
const work: ProbeWork = async (probe, { ask, step, shared }) => {
  switch (probe.do) {
    case 'echo':
      return probe.value
    case 'loop':
      return loop(Infinity)
    case 'wait':
      return new Promise(() => setInterval(() => {}, 1_000))
    case 'fill the heap': {
      const kept: unknown[] = []
      for (;;) kept.push({ at: kept.length, text: String(kept.length) })
    }
    case 'fill buffers': {
      const kept: Buffer[] = []
      for (;;) {
        kept.push(Buffer.alloc(8 * 2 ** 20, 1))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    case 'nest': {
      const nest = (depth: number): number => nest(depth + 1) + 1
      return nest(0)
    }
    case 'throw':
      throw new TypeError('this is a defect')
    case 'ask': {
      const answers: string[] = []
      for (const question of probe.questions) answers.push(await ask(question))
      return answers
    }
    case 'batches': {
      const batches = batchSender(ask)
      for (let batch = 0; batch < probe.count; batch++) await batches.send(String(batch))
      if (probe.thenLoop) loop(Infinity)
      await batches.finish()
      return probe.count
    }
    case 'steps':
      for (const [index, milliseconds] of probe.milliseconds.entries()) {
        step(`step ${index}`)
        loop(milliseconds)
      }
      return probe.milliseconds.length
    case 'environment':
      return { pid: process.pid, names: Object.keys(process.env) }
    case 'shared': {
      if (shared === undefined) return null
      const times = (seen.get(shared) ?? 0) + 1
      seen.set(shared, times)
      return { shared, times }
    }
    default:
      throw new TypeError('this probe does not exist')
  }
}

export default work

function loop(milliseconds: number): void {
  const end = Date.now() + milliseconds
  while (Date.now() < end);
}
