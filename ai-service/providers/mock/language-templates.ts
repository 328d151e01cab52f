import type { Language } from '../../repository/languages.ts'
import { doubleQuoted, singleQuoted } from '../../repository/safe-text.ts'

/** How a language writes the statements of a test. */
export interface LanguageTemplate {
  comment: '//' | '#'
  quote: (text: string) => string
  separator: string
  /** Declares the variable `{name}`. */
  input: string
  /** `{arguments}` are the names of variables. */
  call: string
  /** Creates the object that a method belongs to. */
  create: string
  invoke: string
  /** Read and set a property that runs code, in languages that have them. */
  read?: string
  set?: string
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
  input: 'const {name} = undefined',
  call: 'const result = await {path}({arguments})',
  create: 'const subject = new {path}({arguments})',
  invoke: 'const result = await subject.{name}({arguments})',
  read: 'const result = subject.{name}',
  set: 'subject.{name} = {arguments}',
  construct: 'const subject = new {path}({arguments})',
  message: '{text} + String({variable})',
  names: { text: '. Exported are: ', message: "{text} + Object.keys(subject).join(', ')" },
}

/** Java and C#. */
const typed = (object: string): LanguageTemplate => ({
  comment: '//',
  quote: doubleQuoted,
  separator: '.',
  input: `${object} {name} = null;`,
  call: 'var result = {path}({arguments});',
  create: 'var subject = new {path}({arguments});',
  invoke: 'var result = subject.{name}({arguments});',
  read: 'var result = subject.{name};',
  set: 'subject.{name} = {arguments};',
  construct: 'var subject = new {path}({arguments});',
  message: '{text} + {variable}',
})

export const languages: Record<Exclude<Language, 'other'>, LanguageTemplate> = {
  javascript: script,
  typescript: { ...script, input: 'const {name} = undefined as never' },
  python: {
    comment: '#',
    quote: doubleQuoted,
    separator: '.',
    input: '{name} = None',
    call: 'result = {path}({arguments})',
    create: 'subject = {path}({arguments})',
    invoke: 'result = subject.{name}({arguments})',
    read: 'result = subject.{name}',
    set: 'subject.{name} = {arguments}',
    construct: 'subject = {path}({arguments})',
    message: '{text} + repr({variable})',
    names: { text: '. It holds: ', message: '{text} + ", ".join(dir(subject))' },
  },
  go: {
    comment: '//',
    quote: (text) => doubleQuoted(text.trimEnd()),
    separator: '.',
    input: 'var {name} any',
    call: 'result := {path}({arguments})',
    create: 'var subject {path}',
    invoke: 'result := subject.{name}({arguments})',
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
    input: '{name} = nil',
    call: 'result = {path}({arguments})',
    // A module has no objects.
    create: 'subject = {path} # If it is a class: its object',
    invoke: 'result = subject.{name}({arguments})',
    construct: 'subject = {path}.new({arguments}) # If it is a class: a module has no objects',
    message: '{text} + {variable}.inspect',
  },
  rust: {
    comment: '//',
    quote: doubleQuoted,
    separator: '::',
    input: 'let {name} = Default::default();',
    call: 'let result = {path}({arguments});',
    create: 'let subject = {path}::default();',
    invoke: 'let result = subject.{name}({arguments});',
    construct: 'let subject = {path}::default();',
    constructsWithoutInput: true,
    // The message is a format string, so it may hold no text of the analysis.
    message: '"{plain}{{variable}:?}"',
  },
  php: {
    comment: '//',
    quote: singleQuoted,
    separator: '\\',
    input: '{name} = null;',
    call: '$result = {path}({arguments});',
    create: '$subject = new {path}({arguments});',
    invoke: '$result = $subject->{name}({arguments});',
    construct: '$subject = new {path}({arguments});',
    message: '{text} . var_export(${variable}, true)',
  },
}
