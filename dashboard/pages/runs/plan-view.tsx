import type { Outputs } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Prose } from '../../parts/prose.tsx'
import '../../styles/plan-view.css'

type Part = Outputs['testRuns']['plan']['parts'][number]

const kinds: Record<Part['steps'][number]['kind'], string> = { install: 'Install', prepare: 'Prepare', test: 'Test' }

/** The commands of a run with the reason for each, by folder. */
export function PlanView({ parts }: { parts: readonly Part[] }) {
  return (
    <div className="stack">
      {parts.map(({ directory, ecosystem, framework, steps, notes }) => (
        <div key={`${directory} ${ecosystem}`} className="plan-part card">
          <p className="quiet">
            <ShortText text={directory === '' ? 'Repository root' : directory} /> · {ecosystem}
            {framework === null ? '' : ` · ${framework}`}
          </p>
          <ol className="plan-steps">
            {steps.map(({ kind, command, because }, at) => (
              <li key={`${at} ${command}`}>
                <strong>{kinds[kind]}</strong>
                <Snippet
                  text={command}
                  label={`${kinds[kind]} command ${at + 1}${directory === '' ? '' : ` in ${directory}`}`}
                />
                <span className="hint">
                  <Prose text={because} />
                </span>
              </li>
            ))}
          </ol>
          {notes.length > 0 ? (
            <ul className="hint">
              {notes.map((note) => (
                <li key={note}>
                  <Prose text={note} />
                </li>
              ))}
            </ul>
          ) : undefined}
        </div>
      ))}
    </div>
  )
}
