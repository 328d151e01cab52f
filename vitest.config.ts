import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** These look at the processes below their own, and a thread has none of its own. */
const watchProcesses = [
  'engines/{analysis/run,parsing/pool,source/clone,source/hostile}.test.ts',
  'engines/sandbox/*.test.ts',
]

export default defineConfig({
  test: {
    // Files share their workers, which load the application once. A test leaves its process as it found it.
    isolate: false,
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Generous, because a busy machine is slow and only a test that hangs ever waits so long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/assay/code') },
    projects: [
      {
        extends: true,
        test: {
          name: 'app',
          pool: 'forks',
          include: ['{core,client,mcp-server,cli,local,migrations,docs,packaging}/**/*.test.ts', ...watchProcesses],
          globalSetup: ['core/testing/temporary-files.ts', 'core/testing/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          pool: 'threads',
          include: ['{checks,engines,ai-service}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...watchProcesses],
          globalSetup: 'core/testing/temporary-files.ts',
        },
      },
    ],
  },
})
