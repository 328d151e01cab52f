/** How a CI job runs the tests with one framework, so that they write reports. */
export interface CiTests {
  title: string
  /** The image of a job in a container. */
  image: string
  install?: string
  test: string
  /** The arguments of curl that send the reports. */
  reports: string
  /** A file in the root of the repository that says that this is its framework. */
  file?: string
}

/** Sends all files whose path matches. */
const allOf = (path: string) => `$(find . -path '${path}' | sed 's/^/-F reports=@/')`

const javascript = { image: 'node:24', install: 'npm ci' }
const junit = '-F reports=@junit.xml'

export const ciTests = {
  vitest: {
    title: 'Vitest',
    ...javascript,
    test: 'npx vitest run --reporter=default --reporter=junit --outputFile.junit=junit.xml',
    reports: junit,
  },
  jest: {
    title: 'Jest',
    ...javascript,
    test: 'npx jest --json --outputFile=jest.json',
    reports: '-F reports=@jest.json',
  },
  mocha: {
    title: 'Mocha',
    ...javascript,
    test: 'npx mocha --reporter json --reporter-option output=mocha.json',
    reports: '-F reports=@mocha.json',
  },
  'node:test': {
    title: 'node:test',
    ...javascript,
    test:
      'node --test --test-reporter=spec --test-reporter-destination=stdout ' +
      '--test-reporter=junit --test-reporter-destination=junit.xml',
    reports: junit,
  },
  playwright: {
    title: 'Playwright',
    ...javascript,
    install: 'npm ci && npx playwright install --with-deps',
    test: 'PLAYWRIGHT_JUNIT_OUTPUT_NAME=junit.xml npx playwright test --reporter=line,junit',
    reports: junit,
  },
  pytest: {
    title: 'pytest',
    image: 'python:3',
    install: 'pip install -r requirements.txt',
    test: 'python -m pytest --junitxml=junit.xml',
    reports: junit,
  },
  'go test': {
    title: 'go test',
    image: 'golang:1',
    test: 'go test -json ./... > go.json',
    reports: '-F reports=@go.json',
    file: 'go.mod',
  },
  maven: {
    title: 'Maven',
    image: 'maven:3',
    test: 'mvn -B verify',
    reports: allOf('*/surefire-reports/TEST-*.xml'),
    file: 'pom.xml',
  },
  gradle: {
    title: 'Gradle',
    image: 'gradle:9',
    test: './gradlew test',
    reports: allOf('*/build/test-results/*/TEST-*.xml'),
    file: 'gradlew',
  },
  rspec: {
    title: 'RSpec',
    image: 'ruby:3',
    install: 'bundle install',
    test: 'bundle exec rspec --format progress --format json --out rspec.json',
    reports: '-F reports=@rspec.json',
  },
  phpunit: {
    title: 'PHPUnit',
    image: 'composer:2',
    install: 'composer install',
    test: 'vendor/bin/phpunit --log-junit junit.xml',
    reports: junit,
  },
  'dotnet test': {
    title: 'dotnet test',
    image: 'mcr.microsoft.com/dotnet/sdk:10.0',
    test: 'dotnet test --logger trx --results-directory reports',
    reports: allOf('./reports/*.trx'),
  },
  other: {
    title: 'Another',
    image: 'debian:stable',
    test: './run-tests # a command that writes junit.xml',
    reports: junit,
  },
} satisfies Record<string, CiTests>

export type TestsName = keyof typeof ciTests

export const testsNames = Object.keys(ciTests) as TestsName[]

/**
 * Returns the first framework that there are steps for.
 *
 * @param frameworks - names as plans and analyses write them, the surest first
 * @param files - the names of the files in the root of the repository
 */
export function testsOf(frameworks: readonly string[], files: readonly string[]): TestsName | undefined {
  const known: Record<string, CiTests> = ciTests
  const named = frameworks.map((name) => name.toLowerCase()).find((name) => Object.hasOwn(known, name))
  return testsNames.find((name) => (named === undefined ? files.includes(known[name]?.file ?? '') : name === named))
}
