import { readFileSync } from 'node:fs'

/**
 * The prompts, one file for each version. A changed prompt is a new file, so that recordings and logs identify its
 * text.
 */
export const prompts = {
  suggestTests: load('suggest-tests.v2'),
  generateTests: load('generate-tests.v3'),
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

/** Replaces `{{names}}` by their values. Values are not searched for names. */
export function fillPrompt(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the prompt requires a value for ${name}`)
    return String(value)
  })
}

/** Returns the known conventions of these test frameworks. */
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
