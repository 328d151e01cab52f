/** A repository whose tests run with a runner that both Assay and StrykerJS know. */
export interface StrengthRepository {
  /** `owner/name` at the code host. Checkouts are found as `owner+name`. */
  name: string
  commit: string
  framework: 'vitest' | 'mocha' | 'jest'
  /** The test command, after `npx`. */
  command: readonly string[]
  /** The development dependencies that the tests need. */
  needs: readonly string[]
  /** The files with mutants. */
  mutate: readonly string[]
  /** A test file that is changed between two calls. */
  testFile: string
  /** Another version of StrykerJS than the latest one. */
  stryker?: string
  /** Changes of files that both tools need. */
  edits?: readonly { path: string; from: string; to: string; because: string }[]
}

export const repositories: readonly StrengthRepository[] = [
  {
    name: 'vercel/ms',
    commit: '4b85938394832e62e6e25cca5c151bbc97fe26e2',
    framework: 'jest',
    command: ['jest'],
    needs: ['@jest/globals', '@types/node', 'jest', 'ts-jest', 'typescript'],
    mutate: ['src/index.ts'],
    testFile: 'src/format.test.ts',
    edits: [
      {
        path: 'jest.config.ts',
        from: 'collectCoverage: true',
        to: 'collectCoverage: false',
        because: 'A mutant that lowers the coverage would fail.',
      },
    ],
  },
  {
    name: 'unjs/ufo',
    commit: '11308c0bb5cb4a4bc3bfcbdc5c03177b097423e6',
    framework: 'vitest',
    command: ['vitest', 'run'],
    needs: ['typescript', 'vitest'],
    mutate: ['src/encoding.ts', 'src/parse.ts', 'src/query.ts', 'src/url.ts', 'src/utils.ts'],
    testFile: 'test/query.test.ts',
    edits: [
      {
        path: 'test/utilities.test.ts',
        from: 'describe("hasProtocol"',
        to: 'describe.skip("hasProtocol"',
        because: 'StrykerJS cannot run a test with the name `//`.',
      },
    ],
  },
  {
    name: 'micromatch/picomatch',
    commit: '4f41a8edade7a5ab19832f7b40ecce46b288767f',
    framework: 'mocha',
    command: ['mocha'],
    needs: ['fill-range', 'mocha'],
    mutate: ['lib/constants.js', 'lib/parse.js', 'lib/picomatch.js', 'lib/scan.js', 'lib/utils.js'],
    testFile: 'test/braces.js',
  },
  {
    name: 'moment/luxon',
    commit: 'b6b9d03709085008287ed7f4ce5067f0f4be53f2',
    framework: 'jest',
    // Version 10 has Babel 8, which cannot read the configuration of the project.
    stryker: '9.6.1',
    command: ['jest'],
    needs: ['@babel/core', '@babel/preset-env', 'babel-jest', 'jest'],
    mutate: [
      'src/duration.js',
      'src/interval.js',
      'src/impl/conversions.js',
      'src/impl/diff.js',
      'src/impl/regexParser.js',
      'src/impl/tokenParser.js',
      'src/impl/util.js',
    ],
    testFile: 'test/duration/math.test.js',
    edits: [
      {
        path: 'jest.config.js',
        from: 'module.exports = {',
        to: "process.env.TZ = 'America/New_York'\nmodule.exports = {",
        because: 'Its tests expect the time zone of its author.',
      },
    ],
  },
]
