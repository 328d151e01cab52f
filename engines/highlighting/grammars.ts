import { createRequire } from 'node:module'

/** A piece of text, or a part of the tree with its classes. */
export type Node =
  | { type: 'text'; value: string }
  | { type: 'element'; properties: { className?: unknown }; children: Node[] }
  | { type: 'comment' | 'doctype' }

interface Lowlight {
  registered(name: string): boolean
  highlight(name: string, text: string): { children: Node[] }
}

/** The types of the package bring those of browsers into every file of the program, so they are not imported. */
interface LowlightPackage {
  all: unknown
  createLowlight: (grammars: unknown) => Lowlight
}

const { all, createLowlight } = createRequire(import.meta.url)('lowlight') as LowlightPackage

/** All grammars of highlight.js. Only a process of the engines loads them. */
export const lowlight = createLowlight(all)

/** The grammars of languages that highlight.js knows by another name than linguist, or as a part of another language. */
const grammars: Readonly<Record<string, string>> = {
  Assembly: 'x86asm',
  Batchfile: 'dos',
  'Common Lisp': 'lisp',
  Cython: 'python',
  EditorConfig: 'ini',
  'Emacs Lisp': 'lisp',
  'Git Config': 'ini',
  Gradle: 'groovy',
  'HTML+ERB': 'erb',
  'HTML+Razor': 'xml',
  'Java Properties': 'properties',
  'Java Server Pages': 'xml',
  'JSON with Comments': 'json',
  'Jupyter Notebook': 'json',
  MDX: 'markdown',
  'Objective-C': 'objectivec',
  'Objective-C++': 'objectivec',
  PLpgSQL: 'pgsql',
  'Protocol Buffer': 'protobuf',
  Shell: 'bash',
  ShellSession: 'shell',
  Starlark: 'python',
  SVG: 'xml',
  Svelte: 'xml',
  SystemVerilog: 'verilog',
  'Unix Assembly': 'x86asm',
  'Vim Script': 'vim',
  'Visual Basic .NET': 'vbnet',
  Vue: 'xml',
  WebAssembly: 'wasm',
}

/** Returns the grammar for a language by linguist's name; undefined if there is none. */
export function grammarOf(language: string): string | undefined {
  const name = grammars[language] ?? language.toLowerCase()
  return name !== 'plaintext' && name !== 'text' && lowlight.registered(name) ? name : undefined
}
