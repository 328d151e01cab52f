import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{core,ai-service,mcp-server,local,migrations}/**/*.test.ts'],
    globalSetup: 'core/testing/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
