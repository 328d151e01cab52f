import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { FlakyTests } from './core/testing/flaky-tests.ts'
import { SlowFilesFirst } from './core/testing/slow-files-first.ts'

// One arena keeps the workers small: forking a large process is slow, and tests start thousands of children.
process.env['MALLOC_ARENA_MAX'] ??= '1'

/** All tests. `npm test` runs those that are quick; see `vitest.quick.config.ts`. */
export default defineConfig({
  test: {
    include: [
      '{checks,engines,ai-service,core,client,dashboard,mcp-server,cli,local,migrations,docs,packaging}/**/*.test.ts',
    ],
    globalSetup: ['core/testing/temporary-files.ts', 'core/testing/global-setup.ts'],
    // Not threads: they share one large process, from which a child takes 100 ms to fork.
    pool: 'forks',
    // Node loads the code as it does in the product, which also takes less time than transforming it.
    experimental: { viteModuleRunner: false },
    // Files share their workers, which load the application once. A test leaves its process as it found it.
    isolate: false,
    // Most tests wait for a child process or for the database.
    maxWorkers: 2 * availableParallelism(),
    reporters: ['default', new FlakyTests()],
    sequence: { sequencer: SlowFilesFirst },
    // Generous, because a busy machine is slow and only a test that hangs ever waits so long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/assay/code') },
  },
})
