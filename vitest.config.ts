import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{core,ai-service,mcp-server,local,migrations,docs}/**/*.test.ts'],
    globalSetup: 'core/testing/global-setup.ts',
    // Most of them wait for processes, so that every core can have a file.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
