import type { ReactNode } from 'react'
import type { CodeOf } from '../../parts/code-link.tsx'
import { caseOutcomes } from '../../parts/case-words.ts'
import { Copy } from '../../parts/copy.tsx'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { Mutation } from '../../parts/judged.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { Prose } from '../../parts/prose.tsx'
import { toTask } from './task.ts'
import { type Evidence, isBelow, type Survivor } from './types.ts'

interface SurvivorsProps {
  evidence: Evidence
  code: CodeOf
  path: string | undefined
  onChoose: (path: string | undefined) => void
}

/** The changes that every test accepts, the ones most worth a test first. */
export function Survivors({ evidence, code, path, onChoose }: SurvivorsProps) {
  const { survivors, survivorsLeftOut, survived, files, folders } = evidence
  if (survived === 0) return undefined
  const shown = survivors.filter((each) => isBelow(each.path, path))
  const options = [...folders, ...files]
    .filter((each) => each.survived > 0)
    .map((each) => [each.path, `${each.path} (${each.survived})`] as const)
  return (
    <Section
      title="Changes that no test notices"
      actions={
        shown.length > 0 ? (
          <Copy text={toTask(shown, code)} label={`Copy ${shown.length} as a task for an agent`} />
        ) : undefined
      }
    >
      <Filters>
        <SelectField label="Folder or file" value={path} options={options} onChange={onChoose} />
      </Filters>
      {shown.length === 0 ? <p className="quiet">None of the listed changes is in {path}.</p> : undefined}
      <ol className="survivors plain-list">
        {shown.map((each) => (
          <li key={`${each.path}:${each.line}:${each.column}:${each.replacement}`} className="card survivor">
            <Mutation of={each} code={code} operator={each.operator} />
            <p>
              <Prose text={each.advice} max={600} />
            </p>
            <p className="quiet">
              <Details of={each} />
            </p>
            <Copy text={toTask([each], code)} label="Copy as a task" />
          </li>
        ))}
      </ol>
      {survivorsLeftOut > 0 ? (
        <p className="quiet">
          {plural(survivorsLeftOut, 'survivor')} more are not listed. Measure a file or folder alone to see all of its.
        </p>
      ) : undefined}
    </Section>
  )
}

function Details({ of }: { of: Survivor }): ReactNode {
  const { symbol, nearestTest, tests } = of
  return (
    <>
      {symbol === null ? undefined : (
        <>
          In <code>{symbol}</code>
          {of.case ? (
            <>
              , case <code>{of.case.condition}</code>: {caseOutcomes[of.case.outcome]}{' '}
              {of.case.result ? <code>{of.case.result}</code> : undefined}
            </>
          ) : undefined}
          .{' '}
        </>
      )}
      {plural(tests, 'test')} {tests === 1 ? 'runs' : 'run'} it and {tests === 1 ? 'accepts' : 'accept'} the change
      {nearestTest ? (
        <>
          , the nearest is <code>{nearestTest.path}</code>{' '}
          {nearestTest.name === null ? undefined : <bdi>“{nearestTest.name}”</bdi>}
        </>
      ) : undefined}
      .
    </>
  )
}
