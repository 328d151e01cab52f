import type { PlanPart, RunPlan, Step } from '../../../engines/test-plan/plan.ts'
import type { PlannedPart, PlannedStep } from '../schema.ts'

/** Converts a plan to the form that users see. */
export function showPlan(plan: RunPlan): PlannedPart[] {
  return plan.parts.map((part) => ({
    directory: part.directory,
    ecosystem: part.ecosystem,
    framework: part.framework,
    steps: stepsOf(part),
    notes: [...part.notes],
  }))
}

function stepsOf({ install, prepare, test }: PlanPart): PlannedStep[] {
  const show = (kind: PlannedStep['kind'], { command, because }: Step) => ({
    kind,
    command,
    because: sentence(because),
  })
  return [
    ...(install ? [show('install', install)] : []),
    ...prepare.map((step) => show('prepare', step)),
    show('test', test),
  ]
}

const sentence = (clause: string) => `Because ${clause}${/[.!?]$/.test(clause) ? '' : '.'}`
