import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import { measuredByNode } from './measure.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments, textsOf } from './runner.ts'

const valued = ['-r', '--require', '-t', '--timeout', '-u', '--ui', '-g', '--grep', '-f', '--fgrep', '-s', '--slow']
const moreValued = ['--config', '--package', '--file', '--ignore', '--exclude', '--extension', '--ext', '--spec', '-j']
const more = [
  '--jobs',
  '--retries',
  '--import',
  '--loader',
  '-n',
  '--node-option',
  '--compilers',
  '--opts',
  '--globals',
]
const ours = ['-R', '--reporter', '-O', '--reporter-option', '--reporter-options', '--watch-files', '--watch-ignore']
const dropped = /^(?:-R|--reporter|-O|--reporter-options?|-w|--watch|--watch-files|--watch-ignore|-G|--growl)(?:=|$)/
const coverageDropped =
  /^(?:-r|--reporter|--report-dir|--reports-dir|--check-coverage|--lines|--branches|--functions|--statements|--per-file|--100|-o)(?:=|$)/
const coverageValued = ['-r', '--reporter', '--report-dir', '--reports-dir', '--lines', '--branches', '--functions']
const coverageValuedToo = ['--statements', '-o', '-x', '--exclude', '-n', '--include', '--require', '-e', '--extension']

export const mocha: Runner = {
  name: 'mocha',
  programs: ['mocha', '_mocha', 'electron-mocha'],
  file: /^mocha\/bin\/_?mocha(?:\.c?js)?$/,
  plan(command, { because, isOwners }) {
    const rules = { valued: [...valued, ...moreValued, ...more, ...ours], dropped }
    const { options: given, targets } = splitArguments(command.words, rules)
    // `bail` saves time for waiting users; a run must report all failures.
    const options = isOwners ? given : given.filter((option) => option !== '-b' && option !== '--bail')
    const authored = (command.coverage?.options ?? []).map((text) => ({ text, pattern: false }))
    const coverageRules = { valued: [...coverageValued, ...coverageValuedToo], dropped: coverageDropped }
    const tool = command.coverage?.tool
    const measuring = tool && [
      tool,
      ...splitArguments(authored, coverageRules).options,
      '--reporter=lcovonly',
      `--report${tool === 'c8' ? 's' : ''}-dir={output}/coverage`,
      '--check-coverage=false',
    ]
    const args = [
      'mocha',
      ...command.node,
      ...options,
      '--reporter={tools}/mocha-reporter.cjs',
      '--reporter-option=output={output}/mocha.json',
      ...textsOf(targets),
    ]
    const environment = { ...command.environment, ...runnerEnvironment }
    const mochaStep = (...words: string[]) =>
      step(npx(...words), { because, command: quoted(['npx', ...words]), environment })
    return {
      framework: 'mocha',
      ...(measuring
        ? {
            test: mochaStep(...measuring, ...args),
            unmeasured: mochaStep(...args),
            coverage: ['{output}/coverage/lcov.info'],
          }
        : measuredByNode(mochaStep(...args))),
      targetCount: targets.length,
      reports: ['{output}/mocha.json'],
      // Mocha answers with the number of failed tests, up to 255.
      failureExitCodes: Array.from({ length: 255 }, (_, index) => index + 1),
      notes: [],
    }
  },
}
