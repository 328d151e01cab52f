import type { Ecosystem } from '../../../manifests/manifest.ts'
import type { FrameworkRule, RuleEntry } from '../rule.ts'
import { rules } from '../rule.ts'
import type { TestFrameworkName } from '../test-frameworks.ts'

function tests(ecosystem: Ecosystem, entries: [TestFrameworkName, ...rest: Tail<RuleEntry>][]): FrameworkRule[] {
  return rules(ecosystem, 'test', entries)
}

/** The program where a command line calls one: at its start, after `&&`, behind `npx` and its like, or by its path. */
function command(program: string): RegExp {
  const wrapper = '(?:npx|pnpm|yarn|bunx?|c8|nyc|exec|dlx|run|x|cross-env|dotenv|node|--)'
  return new RegExp(
    `(?:^|[;&|(]\\s*|\\b${wrapper}\\s+|\\s\\w+=\\S+\\s+|^\\w+=\\S+\\s+|\\bnode_modules/(?:\\.bin/|\\w+/bin/))${program}(?=\\s|$|\\.js\\b)`,
  )
}

type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never

export const testRules = [
  ...tests('npm', [
    [
      'vitest',
      'vitest',
      { configs: 'vitest.config.* vitest.workspace.*', settings: 'vitest', scripts: command('vitest') },
    ],
    ['jest', 'jest ts-jest @jest/globals', { configs: 'jest.config.*', settings: 'jest', scripts: command('jest') }],
    ['mocha', 'mocha', { configs: '.mocharc.*', settings: 'mocha', scripts: command('_?mocha') }],
    [
      'jasmine',
      'jasmine jasmine-core',
      { configs: 'jasmine.json spec/support/jasmine.*', scripts: command('jasmine') },
    ],
    ['ava', 'ava', { configs: 'ava.config.*', settings: 'ava', scripts: command('ava') }],
    ['tape', 'tape', { scripts: command('tape') }],
    ['tap', 'tap', { configs: '.taprc', settings: 'tap', scripts: command('tap') }],
    ['uvu', 'uvu', { scripts: command('uvu') }],
    ['qunit', 'qunit', { scripts: command('qunit') }],
    [
      'node:test',
      '',
      { imports: 'node:test', scripts: /(?:^|[;&|])(?=([^;&|]*?\bnode\b))\1[^;&|]*\s--test\b/, builtIn: true },
    ],
    ['bun:test', '', { imports: 'bun:test', scripts: /\bbun test\b/, builtIn: true }],
    ['deno test', '', { settings: 'test', scripts: /\bdeno test\b/, builtIn: true }],
    ['karma', 'karma', { configs: 'karma.conf.*', scripts: command('karma') }],
    ['web test runner', '@web/test-runner', { configs: 'web-test-runner.config.*', settings: 'wtr' }],
    ['playwright', '@playwright/test', { configs: 'playwright.config.*', scripts: /\bplaywright test\b/ }],
    [
      'cypress',
      'cypress',
      { configs: 'cypress.config.* cypress.json', settings: 'cypress', scripts: command('cypress') },
    ],
    ['webdriverio', 'webdriverio @wdio/cli', { configs: 'wdio.conf.*' }],
    ['nightwatch', 'nightwatch', { configs: 'nightwatch.conf.*' }],
    ['testcafe', 'testcafe', { configs: '.testcaferc.*' }],
    ['selenium', 'selenium-webdriver'],
    ['testing-library', '@testing-library/*'],
    ['vue test utils', '@vue/test-utils'],
    ['chai', 'chai'],
    ['sinon', 'sinon'],
    ['supertest', 'supertest'],
    ['fast-check', 'fast-check @fast-check/*'],
    ['testcontainers', 'testcontainers @testcontainers/*'],
    ['cucumber', '@cucumber/cucumber', { configs: 'cucumber.js cucumber.json' }],
  ]),
  ...tests('pypi', [
    [
      'pytest',
      'pytest pytest-cov pytest-asyncio pytest-xdist pytest-mock pytest-django',
      {
        imports: 'pytest',
        configs: 'pytest.ini pytest.toml conftest.py',
        settings: 'tool.pytest tool:pytest pytest',
        scripts: /\bpytest\b/,
        hint: /^(?=(?:.*\/)?tests?\/).*\/test_\w+\.py$/,
      },
    ],
    ['unittest', '', { imports: 'unittest$ unittest.case', scripts: /-m unittest\b/, builtIn: true, behind: 'pytest' }],
    ['nose', 'nose nose2', { configs: '.noserc nose.cfg unittest.cfg', settings: 'nosetests' }],
    ['tox', 'tox tox-uv', { imports: '', configs: 'tox.ini tox.toml', settings: 'tool.tox tox tox:tox' }],
    ['hypothesis', 'hypothesis'],
    ['behave', 'behave', { configs: 'behave.ini .behaverc', settings: 'tool.behave' }],
    ['robot framework', 'robotframework', { imports: 'robot', testFiles: /\.robot$/ }],
    ['playwright', 'playwright pytest-playwright', { imports: 'playwright' }],
    ['selenium', 'selenium'],
    ['testcontainers', 'testcontainers'],
  ]),
  ...tests('go', [
    ['go test', '', { testFiles: /_test\.go$/, builtIn: true }],
    ['testify', 'github.com/stretchr/testify'],
    ['ginkgo', 'github.com/onsi/ginkgo*'],
    ['gomega', 'github.com/onsi/gomega'],
    ['gomock', 'go.uber.org/mock github.com/golang/mock'],
    ['testcontainers', 'github.com/testcontainers/testcontainers-go*'],
  ]),
  ...tests('maven', [
    [
      'junit',
      'org.junit.jupiter:* org.junit:junit-bom org.junit.platform:* org.springframework.boot:spring-boot-starter-test ' +
        'org.springframework.boot:spring-boot-starter-*-test io.quarkus:quarkus-junit5 io.micronaut.test:micronaut-test-junit5 ' +
        'org.jetbrains.kotlin:kotlin-test-junit5',
      { imports: 'org.junit.jupiter', settings: 'useJUnitPlatform' },
    ],
    [
      'junit4',
      'junit:junit org.junit.vintage:* androidx.test.ext:junit org.jetbrains.kotlin:kotlin-test-junit',
      {
        imports: 'org.junit.Test org.junit.Assert org.junit.Before org.junit.Rule org.junit.runner',
        settings: 'useJUnit',
      },
    ],
    ['testng', 'org.testng:testng', { imports: 'org.testng', configs: 'testng.xml', settings: 'useTestNG' }],
    ['spock', 'org.spockframework:*', { imports: 'spock.lang' }],
    ['kotest', 'io.kotest:*', { imports: 'io.kotest' }],
    ['scalatest', 'org.scalatest:*', { imports: 'org.scalatest' }],
    ['mockito', 'org.mockito:* org.mockito.kotlin:*', { imports: 'org.mockito' }],
    ['mockk', 'io.mockk:*', { imports: 'io.mockk' }],
    ['assertj', 'org.assertj:*', { imports: 'org.assertj' }],
    [
      'testcontainers',
      'org.testcontainers:* org.springframework.boot:spring-boot-testcontainers',
      { imports: 'org.testcontainers' },
    ],
    ['cucumber', 'io.cucumber:*', { imports: 'io.cucumber' }],
    ['selenium', 'org.seleniumhq.selenium:*', { imports: 'org.openqa.selenium' }],
    ['playwright', 'com.microsoft.playwright:playwright', { imports: 'com.microsoft.playwright' }],
  ]),
  ...tests('rubygems', [
    ['rspec', 'rspec rspec-core rspec-rails', { configs: '.rspec spec/spec_helper.rb', hint: /_spec\.rb$/ }],
    [
      'minitest',
      'minitest minitest-rails minitest-reporters minitest-global_expectations',
      {
        imports: 'minitest minitest/autorun',
        configs: 'test/test_helper.rb',
        hint: /^(?=(?:.*\/)?test\/).*_test\.rb$/,
      },
    ],
    ['test-unit', 'test-unit', { imports: 'test/unit' }],
    ['cucumber', 'cucumber cucumber-rails', { configs: 'features/support/env.rb' }],
    ['capybara', 'capybara'],
    ['selenium', 'selenium-webdriver'],
  ]),
  ...tests('cargo', [
    ['cargo test', '', { testFiles: /(?:^|\/)tests\/[^/]+\.rs$|^(?=(?:.*\/)?src\/).*\/tests\.rs$/, builtIn: true }],
    ['proptest', 'proptest'],
    ['quickcheck', 'quickcheck'],
    ['rstest', 'rstest'],
    ['criterion', 'criterion codspeed-criterion-compat'],
  ]),
  ...tests('composer', [
    [
      'phpunit',
      'phpunit/phpunit symfony/phpunit-bridge',
      { imports: 'PHPUnit', configs: 'phpunit.xml phpunit.xml.dist phpunit.dist.xml', scripts: /\bphpunit\b/ },
    ],
    ['pest', 'pestphp/pest', { imports: 'Pest', configs: 'tests/Pest.php', scripts: /\bpest\b/ }],
    ['behat', 'behat/behat', { imports: 'Behat', configs: 'behat.yml behat.yml.dist behat.php', scripts: /\bbehat\b/ }],
    [
      'codeception',
      'codeception/codeception',
      { imports: 'Codeception', configs: 'codeception.yml codeception.dist.yml' },
    ],
    ['phpspec', 'phpspec/phpspec', { imports: 'PhpSpec', configs: 'phpspec.yml phpspec.yml.dist' }],
    ['mockery', 'mockery/mockery', { imports: 'Mockery' }],
  ]),
  ...tests('nuget', [
    ['xunit', 'xunit xunit.* XunitXml.TestLogger', { imports: 'Xunit', configs: 'xunit.runner.json' }],
    ['nunit', 'NUnit NUnit3TestAdapter', { imports: 'NUnit.Framework' }],
    ['mstest', 'MSTest MSTest.*', { imports: 'Microsoft.VisualStudio.TestTools.UnitTesting' }],
    ['tunit', 'TUnit', { imports: 'TUnit.Core' }],
    ['reqnroll', 'Reqnroll Reqnroll.* SpecFlow SpecFlow.*', { imports: 'Reqnroll TechTalk.SpecFlow' }],
    ['moq', 'Moq', { imports: 'Moq' }],
    ['nsubstitute', 'NSubstitute', { imports: 'NSubstitute' }],
    ['benchmarkdotnet', 'BenchmarkDotNet', { imports: 'BenchmarkDotNet' }],
    ['testcontainers', 'Testcontainers Testcontainers.*', { imports: 'DotNet.Testcontainers' }],
    ['playwright', 'Microsoft.Playwright Microsoft.Playwright.*', { imports: 'Microsoft.Playwright' }],
    ['selenium', 'Selenium.WebDriver', { imports: 'OpenQA.Selenium' }],
  ]),
  ...tests('hex', [['exunit', '', { testFiles: /_test\.exs$/, builtIn: true }]]),
  ...tests('npm', [['bats', 'bats', { testFiles: /\.bats$/ }]]),
]
