import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sharedPlace } from './postgres-files.ts'

/** The launcher as a user starts it: its own process, on free ports. */
export interface Launched extends AsyncDisposable {
  hasEnded(): boolean
  /** The standard output so far. */
  printed(): string
  /** Waits until all parts are ready. */
  ready(): Promise<{ api: string; mcp: string; signInLink: string }>
  /** Waits for the end and returns the standard error. */
  end(): Promise<{ code: number | null; stderr: string }>
  signal(signal: NodeJS.Signals): void
  /** The launcher and all its descendants, including the database. */
  processes(): number[]
}

/** Removes the data folder of an installation, and the database that root keeps outside of it. */
export async function removeInstallation(folder: string): Promise<void> {
  for (const path of [folder, sharedPlace(join(folder, 'postgres'))]) await rm(path, { recursive: true, force: true })
}

export function launch(environment: NodeJS.ProcessEnv): Launched {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'start.mjs')], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      AI_PORT: '0',
      MCP_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const closed = once(child, 'close')
  return {
    hasEnded: () => hasEnded(child),
    printed: () => stdout,
    async ready() {
      while (!stdout.includes('Ctrl-C')) {
        if (hasEnded(child)) {
          // The standard error can arrive after the exit.
          await closed
          throw new Error(`ended before it was ready: ${stderr}`)
        }
        await Promise.race([once(child.stdout, 'data'), closed])
      }
      const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(stdout)?.[1] ?? ''
      return { api: printed('API'), mcp: printed('MCP'), signInLink: printed('Open') }
    },
    async end() {
      await closed
      return { code: child.exitCode, stderr }
    },
    signal: (signal) => void child.kill(signal),
    processes: () => (child.pid === undefined ? [] : [child.pid, ...descendants(child.pid)]),
    async [Symbol.asyncDispose]() {
      if (!hasEnded(child)) child.kill('SIGTERM')
      await closed
    },
  }
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended, but its parent has not collected it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

function descendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1]
      parents.set(Number(entry), Number(parent))
    } catch {
      continue // Ended between the listing and the look.
    }
  }
  const below = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child)
  return [...below, ...below.flatMap(descendants)]
}
