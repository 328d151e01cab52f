import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments, textsOf } from './runner.ts'

const valued = ['-c', '--config', '-g', '--grep', '-gv', '--grep-invert', '-j', '--workers', '--project', '--retries']
const moreValued = ['--shard', '--timeout', '--output', '--browser', '--repeat-each', '--max-failures', '--reporter']
const dropped = /^(?:--reporter|--ui|--debug|--headed|--ui-host|--ui-port)(?:=|$)/

export const playwright: Runner = {
  name: 'playwright',
  programs: ['playwright'],
  file: /^@?playwright(?:\/test)?\/cli\.js$/,
  plan(command, { because }) {
    const { options, targets } = splitArguments(command.words, { valued: [...valued, ...moreValued], dropped })
    const own = targets[0]?.text === 'test' ? targets.slice(1) : targets
    const args = ['playwright', 'test', ...options, '--reporter=list,json', ...textsOf(own)]
    return {
      framework: 'playwright',
      test: step(npx(...args), {
        because,
        command: quoted(['npx', ...args]),
        environment: {
          ...command.environment,
          ...runnerEnvironment,
          PLAYWRIGHT_JSON_OUTPUT_NAME: '{output}/playwright.json',
          PLAYWRIGHT_BROWSERS_PATH: '{deps}/browsers',
        },
      }),
      targetCount: own.length,
      reports: ['{output}/playwright.json'],
      coverage: [],
      failureExitCodes: [1],
      notes: ['No coverage, because Playwright tests a running program.'],
    }
  },
}
