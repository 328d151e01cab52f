import { defineConfig } from 'vitest/config'

/** What only a real browser can show. Needs Chromium or Chrome; see `browser-tests/browser.ts`. */
export default defineConfig({
  test: {
    include: ['browser-tests/**/*.test.ts'],
    globalSetup: [
      'core/testing/temporary-files.ts',
      'core/testing/global-setup.ts',
      'browser-tests/build-dashboard.ts',
    ],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
