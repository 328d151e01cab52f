import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isolatedEnvironment, lowerPriority } from '../../analysis/analyzer/child-processes.ts'
import type { Ranges } from '../../test-runs/coverage/ranges.ts'
import type { Mutant } from '../mutation/mutant.ts'
import type { TestStyle } from '../schema.ts'

export type Reading = { path: string; source: string } & ({ find: 'mutants'; lines: Ranges } | { find: 'style' })

export interface Read {
  mutants: Mutant[]
  style: TestStyle | null
}

const program = fileURLToPath(new URL('process.ts', import.meta.url))
const maxSourceBytes = 1_024 * 1_024
/** What fits in there takes a second or two; whatever takes longer was made to. */
const timeoutMs = 10_000

/**
 * Reads a source in a process of its own, which can neither crash nor keep this one busy. Undefined for what is too
 * large, takes too long or takes the process down.
 */
export async function readApart(reading: Reading): Promise<Read | undefined> {
  if (Buffer.byteLength(reading.source) > maxSourceBytes) return undefined
  const child = fork(program, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: isolatedEnvironment(),
    execArgv: ['--max-old-space-size=1024'],
  })
  lowerPriority(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  try {
    return await new Promise((resolve, reject) => {
      let read: Read | undefined
      child.on('message', (message: Read) => {
        read = message
      })
      child.on('error', (error) => {
        // Raised for a message that a dying process takes no more, too; that one has an exit to come.
        if (child.pid === undefined) reject(error)
      })
      child.once('exit', () => {
        if (child.connected) child.once('disconnect', () => resolve(read))
        else resolve(read)
      })
      child.send(reading, () => undefined)
    })
  } finally {
    clearTimeout(timer)
  }
}
