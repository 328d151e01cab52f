import { defineConfig } from 'vitest/config'

/** Every tool that reads, called by the protocol's own Inspector over both transports in both eras. Takes minutes. */
export default defineConfig({
  test: {
    include: ['mcp-server/conformance/**/*.inspector.ts'],
    globalSetup: ['core/testing/temporary-files.ts', 'core/testing/global-setup.ts'],
    maxWorkers: 1,
    maxConcurrency: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
