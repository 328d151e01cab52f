import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{core,ai-service,mcp-server,local,migrations,docs}/**/*.test.ts'],
    globalSetup: 'core/testing/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
