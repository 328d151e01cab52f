import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{checks,engines,core,ai-service,client,mcp-server,cli,local,migrations,docs,packaging}/**/*.test.ts'],
    globalSetup: 'core/testing/global-setup.ts',
    // Most of them wait for processes and timers, so that more files than cores can be under way.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
