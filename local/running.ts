import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const Running = z.object({
  /** The address that core listens on. */
  listening: z.url(),
  /** The public address. */
  baseUrl: z.url(),
})
type Running = z.infer<typeof Running>

const path = (dataDir: string) => join(dataDir, 'running.json')

/** Writes the addresses to a file for other commands, which may have other settings than the start. */
export async function noteRunning(dataDir: string, running: Running): Promise<AsyncDisposable> {
  await writeFile(path(dataDir), `${JSON.stringify(running)}\n`)
  return { [Symbol.asyncDispose]: () => rm(path(dataDir), { force: true }) }
}

/** Finds the Assay that uses this data folder. A killed start leaves its file behind, so this also asks the server. */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  try {
    const running = Running.parse(JSON.parse(await readFile(path(dataDir), 'utf8')))
    const { ok } = await fetch(`${running.listening}/health`, { signal: AbortSignal.timeout(5_000) })
    return ok ? running : undefined
  } catch {
    return undefined // The file is missing or invalid, or no server answers.
  }
}
