import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Lists the tests that passed only when they were repeated (`--retry`), with the error of the first attempt. */
export class FlakyTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky === true),
    )
    if (flaky.length === 0) return
    const lines = flaky.map((test) => {
      const [error] = test.result().errors ?? []
      return `  ${relative('.', test.module.moduleId)} > ${test.fullName}\n    ${error?.message.replaceAll('\n', '\n    ') ?? 'without an error'}`
    })
    process.stdout.write(`\n${flaky.length} flaky, each a defect to fix:\n${lines.join('\n')}\n`)
  }
}
