import { readFileSync } from 'node:fs'

/**
 * The texts that models are given, a file for each version: a changed text is a new file, so that a recording or a line
 * of the log tells what was asked.
 */
export const prompts = {
  suggestTests: load('suggest-tests.v1'),
  generateTests: load('generate-tests.v1'),
  analyze: load('analyze.v1'),
  material: load('material.v1'),
  repair: load('repair.v1'),
}

const conventions = readConventions(load('conventions.v1').text)

export interface Prompt {
  label: string
  text: string
}

function load(label: string): Prompt {
  return { label, text: readFileSync(new URL(`${label}.md`, import.meta.url), 'utf8').trim() }
}

/** Puts values in place of `{{names}}`, each once: a value that looks like a name stays what it is. */
export function fillPrompt(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the prompt wants ${name}`)
    return String(value)
  })
}

/** What holds for tests of these frameworks; nothing for one that nothing is written about. */
export const conventionsOf = (frameworks: readonly string[]) =>
  frameworks.flatMap((framework) => conventions.get(framework) ?? []).join('\n')

function readConventions(text: string): Map<string, string> {
  const parts = text.split(/^## /m).slice(1)
  return new Map(
    parts.map((part): [string, string] => {
      const [name = '', ...lines] = part.split('\n')
      return [name.trim(), `- ${name.trim()}: ${lines.join(' ').trim()}`]
    }),
  )
}
