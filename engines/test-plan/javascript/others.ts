import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments, textsOf } from './runner.ts'

/** A runner that prints TAP, by default or with an option. */
function tapRunner(name: string, asking: readonly string[], file: RegExp): Runner {
  const rules = { valued: ['-r', '--require', '--config'], dropped: /^(?:--watch|-w|--tap|--reporter|-R)(?:=|$)/ }
  return {
    name,
    programs: [name],
    file,
    plan(command, { because }) {
      const { options, targets } = splitArguments(command.words, rules)
      const args = [name, ...options, ...asking, ...textsOf(targets)]
      return {
        framework: name,
        test: step(npx(...args), {
          because,
          command: quoted(['npx', ...args]),
          environment: { ...command.environment, ...runnerEnvironment },
          stdoutReport: `${name}.tap`,
        }),
        targetCount: targets.length,
        reports: [`{output}/${name}.tap`],
        coverage: [],
        failureExitCodes: [1],
        notes: [`No coverage, because Assay does not read it from ${name}.`],
      }
    },
  }
}

export const tapRunners = [
  tapRunner('ava', ['--tap'], /^ava\/entrypoints\/cli\.mjs$/),
  tapRunner('tape', [], /^tape\/bin\/tape$/),
  tapRunner('tap', ['--reporter=tap'], /^tap\/bin\/run\.m?js$/),
]

/** Node's test runner with TypeScript and coverage. */
export const borp: Runner = {
  name: 'borp',
  programs: ['borp'],
  file: /^borp\/borp\.js$/,
  plan(command, { project, because }) {
    const rules = {
      valued: [
        '-r',
        '--reporter',
        '-T',
        '--timeout',
        '-c',
        '--concurrency',
        '-i',
        '--ignore',
        '-X',
        '--coverage-exclude',
        '--lines',
      ],
      dropped:
        /^(?:-r|--reporter|-w|--watch|-C|--coverage|--coverage-\w+|-X|--check-coverage|--lines|--functions|--branches|--statements)(?:=|$)/,
    }
    const numbers = ['--functions', '--branches', '--statements']
    const { options, targets } = splitArguments(command.words, { ...rules, valued: [...rules.valued, ...numbers] })
    const measured = project.dependencies.has('c8')
    const measuring = measured
      ? ['c8', '--reporter=lcovonly', '--reports-dir={output}/coverage', '--check-coverage=false']
      : []
    const args = ['borp', ...options, '--reporter=spec', '--reporter=junit:{output}/junit.xml', ...textsOf(targets)]
    const environment = { ...command.environment, ...runnerEnvironment }
    const borpStep = (...words: string[]) =>
      step(npx(...words), { because, command: quoted(['npx', ...words]), environment })
    return {
      framework: 'borp',
      test: borpStep(...measuring, ...args),
      ...(measured && { unmeasured: borpStep(...args) }),
      targetCount: targets.length,
      reports: ['{output}/junit.xml'],
      coverage: measured ? ['{output}/coverage/lcov.info'] : [],
      failureExitCodes: [1],
      notes: measured ? [] : ['No coverage, because c8 is not a dependency.'],
    }
  },
}
