import { defineConfig, mergeConfig } from 'vitest/config'
import { slowFiles } from './core/testing/slow-files.ts'
import whole from './vitest.config.ts'

/** Nine tenths of the tests in a third of the time, for use during work. `npm test` runs all. */
export default mergeConfig(whole, defineConfig({ test: { exclude: slowFiles } }))
