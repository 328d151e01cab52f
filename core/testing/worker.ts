import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { removeTree } from '../workspaces/directories.ts'
import type { TestApp } from './app.ts'

/** Core in a process of its own, on the database of an application. Disposing it lets it end. */
export interface Worker extends AsyncDisposable {
  /** Where it serves requests. */
  url: string
  /** Ends it as `kill -9` does. */
  kill(): void
}

/** Creates the folder for the data of workers, which are killed and started again. */
export async function createDataDirectory(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'assay-worker-'))
  return {
    path,
    async [Symbol.asyncDispose]() {
      // A worker that was killed may have left file systems of attempts.
      for (const name of await readdir(path, { recursive: true })) {
        if (/^(?:runs|changes|verifications|strength_measurements)\/[^/]+$/.test(name))
          await removeTree(join(path, name))
      }
      await removeTree(path)
    },
  }
}

/** Starts a worker, or with another role another core, on the database of the application. */
export async function startWorker(
  { config }: Pick<TestApp, 'config'>,
  settings: NodeJS.ProcessEnv & { DATA_DIR: string },
): Promise<Worker> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    DATABASE_URL: config.databaseUrl,
    SECRET_KEY: config.secretKey,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    PORT: '0',
    ROLE: 'worker',
    EXECUTOR: 'bwrap',
    ...settings,
  }
  const core = fork(new URL('../main.ts', import.meta.url), { env, stdio: 'ignore' })
  const exited = once(core, 'exit')
  const ended = exited.then(([code]) => Promise.reject(new Error(`core ended with ${String(code)}`)))
  const [{ baseUrl }] = (await Promise.race([once(core, 'message'), ended])) as [{ baseUrl: string }]
  ended.catch(() => {}) // From here on it is meant to end.
  return {
    url: baseUrl,
    kill: () => void core.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      core.kill('SIGTERM')
      await exited
    },
  }
}

/** Returns the processes of this machine with the word among their arguments. */
export async function processesWith(word: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((line) => line.includes(word))
}
