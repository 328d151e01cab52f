import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import { measuredByNode } from './measure.ts'
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
        ...measuredByNode(
          step(npx(...args), {
            because,
            command: quoted(['npx', ...args]),
            environment: { ...command.environment, ...runnerEnvironment },
            stdoutReport: `${name}.tap`,
          }),
        ),
        targetCount: targets.length,
        reports: [`{output}/${name}.tap`],
        failureExitCodes: [1],
        notes: [],
      }
    },
  }
}

export const tapRunners = [
  tapRunner('ava', ['--tap'], /^ava\/entrypoints\/cli\.mjs$/),
  tapRunner('tape', [], /^tape\/bin\/tape$/),
  tapRunner('tap', ['--reporter=tap'], /^tap\/bin\/run\.m?js$/),
]

export const jasmine: Runner = {
  name: 'jasmine',
  programs: ['jasmine'],
  file: /^jasmine\/bin\/jasmine(?:\.js)?$/,
  plan(command, { because }) {
    const rules = { valued: [], dropped: /^--(?:reporter|fail-fast|stop-on-failure)(?:=|$)/ }
    const { options, targets } = splitArguments(command.words, rules)
    const args = ['jasmine', ...options, '--reporter={tools}/jasmine-reporter.cjs', ...textsOf(targets)]
    return {
      framework: 'jasmine',
      ...measuredByNode(
        step(npx(...args), {
          because,
          command: quoted(['npx', ...args]),
          environment: { ...command.environment, ...runnerEnvironment, ASSAY_JUNIT: '{output}/junit.xml' },
        }),
      ),
      targetCount: targets.length,
      reports: ['{output}/junit.xml'],
      failureExitCodes: [1, 3],
      notes: [],
    }
  },
}

/** A program of the project that prints TAP, such as `node test.js` with tests written with tape. */
export const nodeScript: Runner = {
  name: 'tape',
  programs: [],
  file: /^$/,
  plan(command, { because }) {
    const [program = 'node', ...options] = command.node
    const args = [...options, ...textsOf(command.words)]
    const argv = program === 'node' ? [program, ...args] : npx(program, ...args)
    return {
      framework: 'tape',
      ...measuredByNode(
        step(argv, {
          because,
          command: quoted(program === 'node' ? argv : ['npx', program, ...args]),
          environment: { ...command.environment, ...runnerEnvironment },
          stdoutReport: 'tape.tap',
        }),
      ),
      targetCount: command.words.length,
      reports: ['{output}/tape.tap'],
      failureExitCodes: [1],
      notes: [],
    }
  },
}

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
      ...(measured
        ? {
            test: borpStep(...measuring, ...args),
            unmeasured: borpStep(...args),
            coverage: ['{output}/coverage/lcov.info'],
          }
        : measuredByNode(borpStep(...args))),
      targetCount: targets.length,
      reports: ['{output}/junit.xml'],
      failureExitCodes: [1],
      notes: [],
    }
  },
}
