import { jest, reactScripts } from './jest.ts'
import { mocha } from './mocha.ts'
import { nodeTest } from './node-test.ts'
import { borp, jasmine, tapRunners } from './others.ts'
import { playwright } from './playwright.ts'
import type { Runner } from './runner.ts'
import { vitest } from './vitest.ts'

/** If a project has several runners, the first in this order is used. */
export const runners: readonly Runner[] = [
  vitest,
  jest,
  reactScripts,
  mocha,
  ...tapRunners,
  jasmine,
  borp,
  nodeTest,
  playwright,
]
