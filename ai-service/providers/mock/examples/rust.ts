import { snakeCase } from '../cases.ts'
import { splitCamelCase } from '../../../../engines/test-names/test-name.ts'
import { type Syntax, bodyLines, subjectNames } from '../body.ts'
import type { Example } from '../example.ts'
import { doubleQuoted } from '../../../repository/safe-text.ts'
import { chooseSubject, commentLines, indent, separate, stillOpen } from '../wording.ts'

/** A test module inside the source file, where Rust's unit tests live. */
export function writeRustTest(example: Example): string {
  const [first, ...others] = example.cases
  const tests = separate([
    ['use super::*;'],
    ['#[test]', `fn ${snakeCase(first)}() {`, ...indent(bodyLines(example, syntax), '    '), '}'],
    ...others.map((sentence) => [
      '#[test]',
      `#[ignore = ${doubleQuoted(stillOpen)}]`,
      `fn ${snakeCase(sentence)}() {`,
      `    todo!(${doubleQuoted(stillOpen)})`,
      '}',
    ]),
  ])
  return [
    ...commentLines(example.header, '//'),
    '#[cfg(test)]',
    `mod ${moduleName(example)} {`,
    ...indent(tests, '    '),
    '}',
    '',
  ].join('\n')
}

const syntax: Syntax = {
  comment: '//',
  input: 'let input = Default::default();',
  constructsWithoutInput: true,
  call: (path) => `let result = ${path.join('::')}(input);`,
  create: (path) => `let subject = ${path.join('::')}::default();`,
  invoke: (name) => `let result = subject.${name}(input);`,
  construct: (path) => `let subject = ${path.join('::')}::default();`,
  // The message is a format string, and none of its words comes from the analysis.
  fail: (message, variable) => `todo!(${doubleQuoted(`${message}{${variable}:?}`)})`,
  failWhole: `todo!(${doubleQuoted(chooseSubject)})`,
}

function moduleName(example: Example): string {
  const names = subjectNames(example)
  if (names.length === 0) return 'tests'
  return `${snakeCase(splitCamelCase(names.join(' '))) || 'more'}_tests`.replace(/^(?=\d)/, '_')
}
