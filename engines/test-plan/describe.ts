import type { PlanPart, RunPlan, Step } from './plan.ts'

/** The plan as sentences: "I run `npx vitest run …` because package.json names vitest." */
export function describePlan(plan: RunPlan, tense: 'planned' | 'done' = 'done'): string[] {
  return plan.parts.flatMap((part) => describePart(part, tense === 'done' ? 'I ran' : 'I run'))
}

function describePart(part: PlanPart, verb: string): string[] {
  const place = part.directory === '' ? '' : `In \`${part.directory}\`, `
  const say = (step: Step) => `${place}${verb} \`${oneLine(step.command)}\` because ${step.because}.`
  const steps = [...(part.install ? [part.install] : []), ...part.prepare, part.test]
  return [...steps.map(say), ...part.notes]
}

function oneLine(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim()
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}
