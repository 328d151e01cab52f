import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import { CostsWriter } from './core/testing/costs-writer.ts'
import whole from './vitest.config.ts'

const noted = join(tmpdir(), `assay-test-costs-${process.pid}.jsonl`)

/** Measures which test files are slow. Name files or folders to measure only those. */
export default mergeConfig(
  whole,
  defineConfig({
    test: {
      setupFiles: ['core/testing/measure-costs.ts'],
      reporters: [new CostsWriter(noted)],
      env: { TEST_COSTS: noted },
    },
  }),
)
