import type { Language } from '../../repository/languages.ts'
import { doubleQuoted, singleQuoted } from '../../repository/safe-text.ts'

/** How a language writes the statements of a test. */
export interface LanguageTemplate {
  comment: '//' | '#'
  quote: (text: string) => string
  separator: string
  input: string
  call: string
  /** Creates the object that a method belongs to. */
  create: string
  invoke: string
  /** Creates an object that is the subject itself. */
  construct: string
  /** Objects are created without input. */
  constructsWithoutInput?: true
  /** An expression: the literal `{text}` and the value of `{variable}`. */
  message: string
  /** An expression for `{text}` if the subject is a whole file; the names of the file if it has any. */
  names?: { text: string; message: string }
}

const script: LanguageTemplate = {
  comment: '//',
  quote: singleQuoted,
  separator: '.',
  input: 'const input = undefined',
  call: 'const result = await {path}(input)',
  create: 'const subject = new {path}()',
  invoke: 'const result = await subject.{name}(input)',
  construct: 'const subject = new {path}(input)',
  message: '{text} + String({variable})',
  names: { text: '. Exported are: ', message: "{text} + Object.keys(subject).join(', ')" },
}

/** Java and C#. */
const typed = (object: string): LanguageTemplate => ({
  comment: '//',
  quote: doubleQuoted,
  separator: '.',
  input: `${object} input = null;`,
  call: 'var result = {path}(input);',
  create: 'var subject = new {path}();',
  invoke: 'var result = subject.{name}(input);',
  construct: 'var subject = new {path}(input);',
  message: '{text} + {variable}',
})

export const languages: Record<Exclude<Language, 'other'>, LanguageTemplate> = {
  javascript: script,
  typescript: { ...script, input: 'const input = undefined as never' },
  python: {
    comment: '#',
    quote: doubleQuoted,
    separator: '.',
    input: 'value = None',
    call: 'result = {path}(value)',
    create: 'subject = {path}()',
    invoke: 'result = subject.{name}(value)',
    construct: 'subject = {path}(value)',
    message: '{text} + repr({variable})',
    names: { text: '. It holds: ', message: '{text} + ", ".join(dir(subject))' },
  },
  go: {
    comment: '//',
    quote: (text) => doubleQuoted(text.trimEnd()),
    separator: '.',
    input: 'var input any',
    call: 'result := {path}(input)',
    create: 'var subject {path}',
    invoke: 'result := subject.{name}(input)',
    construct: 'var subject {path}',
    constructsWithoutInput: true,
    message: '{text}, {variable}',
  },
  java: typed('Object'),
  csharp: typed('object'),
  ruby: {
    comment: '#',
    quote: singleQuoted,
    separator: '::',
    input: 'input = nil',
    call: 'result = {path}(input)',
    // A module has no objects.
    create: 'subject = {path} # If it is a class: its object',
    invoke: 'result = subject.{name}(input)',
    construct: 'subject = {path}.new(input) # If it is a class: a module has no objects',
    message: '{text} + {variable}.inspect',
  },
  rust: {
    comment: '//',
    quote: doubleQuoted,
    separator: '::',
    input: 'let input = Default::default();',
    call: 'let result = {path}(input);',
    create: 'let subject = {path}::default();',
    invoke: 'let result = subject.{name}(input);',
    construct: 'let subject = {path}::default();',
    constructsWithoutInput: true,
    // The message is a format string, so it may hold no text of the analysis.
    message: '"{plain}{{variable}:?}"',
  },
  php: {
    comment: '//',
    quote: singleQuoted,
    separator: '\\',
    input: '$input = null;',
    call: '$result = {path}($input);',
    create: '$subject = new {path}();',
    invoke: '$result = $subject->{name}($input);',
    construct: '$subject = new {path}($input);',
    message: '{text} . var_export(${variable}, true)',
  },
}
