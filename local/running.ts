import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const Running = z.object({
  /** Where core listens. */
  listening: z.url(),
  /** Where people find it. */
  baseUrl: z.url(),
})
type Running = z.infer<typeof Running>

const path = (dataDir: string) => join(dataDir, 'running.json')

/** Leaves a note for commands that are run beside Assay, perhaps with other settings than it was started with. */
export async function noteRunning(dataDir: string, running: Running): Promise<AsyncDisposable> {
  await writeFile(path(dataDir), `${JSON.stringify(running)}\n`)
  return { [Symbol.asyncDispose]: () => rm(path(dataDir), { force: true }) }
}

/** The Assay that runs on this data in local mode. The note outlives a start that was killed, so it is asked too. */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  try {
    const running = Running.parse(JSON.parse(await readFile(path(dataDir), 'utf8')))
    const { ok } = await fetch(`${running.listening}/health`, { signal: AbortSignal.timeout(5_000) })
    return ok ? running : undefined
  } catch {
    return undefined // No note, half a note, or nobody there: it comes to the same.
  }
}
