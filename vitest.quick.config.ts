import { defineConfig, mergeConfig } from 'vitest/config'
import { slowFiles } from './core/testing/test-costs.ts'
import whole from './vitest.config.ts'

/** What every change runs (`npm test`). `npm run test:all` runs the slow files as well. */
export default mergeConfig(whole, defineConfig({ test: { exclude: [...slowFiles] } }))
